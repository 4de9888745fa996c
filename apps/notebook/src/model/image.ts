/** What may be stored, by its leading bytes (spec 1 §2 "Image pipeline"). */
export const imageTypes = ['png', 'jpeg', 'gif', 'webp', 'avif'] as const;
export type ImageType = (typeof imageTypes)[number];

/** The record of one stored image. */
export interface Image {
  readonly id: string;
  readonly notebookId: string;
  /** In the object store: `{notebook_id}/{random-hex}.{ext}`. */
  readonly key: string;
  readonly type: ImageType;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
}
