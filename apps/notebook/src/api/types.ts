import type { Static, TSchema } from 'typebox';
import type * as images from './image-schemas.ts';
import type * as schemas from './schemas.ts';

/** The API's requests and answers, derived from the schemas that check them. Types only: no schema reaches a browser. */

type Fixed<Value> = Value extends readonly (infer Item)[]
  ? readonly Fixed<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Fixed<Value[Name]> }
    : Value;
type Shape<Schema extends TSchema> = Fixed<Static<Schema>>;

/** Times are RFC 3339. Fields shown only with the edit token are optional. */
export type ApiNotebook = Shape<typeof schemas.NotebookAnswer>;
export type ApiPage = Shape<typeof schemas.PageAnswer>;
export type ApiCreated = Shape<typeof schemas.CreatedAnswer>;
export type ApiToken = Shape<typeof schemas.TokenAnswer>;
export type ApiDeleted = Shape<typeof schemas.DeletedAnswer>;
export type ApiSnapshotHead = Shape<typeof schemas.SnapshotHeadAnswer>;
export type ApiSnapshot = Shape<typeof schemas.SnapshotAnswer>;
export type ApiComment = Shape<typeof schemas.CommentAnswer>;
/** An image that was just uploaded. */
export type ApiAddedImage = Shape<typeof images.AddedImageAnswer>;
export type ApiImage = Shape<typeof images.ImageAnswer>;
export type ApiSlugState = Shape<typeof schemas.SlugAnswer>;
export type ApiPageFile = Shape<typeof schemas.FileAnswer>;
export type ApiRefusal = Shape<typeof schemas.ProblemAnswer>;
export interface ApiList<Item> {
  readonly items: readonly Item[];
}

export type NewNotebook = Shape<typeof schemas.CreateBody>;
export type NewPage = Shape<typeof schemas.AddPageBody>;
export type NotebookChange = Shape<typeof schemas.SettingsBody>;
export type PageChange = Shape<typeof schemas.ChangePageBody>;
