import { urls } from '../../../urls.ts';
import { getOwnNotebook } from '../../api/read-notebook.ts';
import { listKeptNotebooks } from '../../device/saved-notebooks.ts';

/** Finds the tokens of edit links to this site, and of those with a token this browser keeps, on whatever host. */
export function findEditTokens(text: string, ownToken: string | undefined): string[] {
  const known = new Set(listKeptNotebooks().map(({ editToken }) => editToken));
  const found = [...text.matchAll(editLink)].filter(
    ([, host, editToken]) => host?.toLowerCase() === location.host || editToken === ownToken || known.has(editToken!),
  );
  return [...new Set(found.map(([, , editToken]) => editToken!))];
}

/** The lookbehind stops a long word from being scanned again from each of its letters. */
const editLink = /(?:https?:\/\/)?(?<![\w.:[\]-])([\w.:[\]-]*)\/e\/([\w-]{43})(?:\/print)?(?![\w-])/gi;

export function replaceEditLinks(text: string, viewLinks: ReadonlyMap<string, string>): string {
  return text.replaceAll(editLink, (link: string, _host: string, editToken: string) => viewLinks.get(editToken) ?? link);
}

/** Returns the view link for each token, or undefined unless every one still opens a notebook. */
export async function findViewLinks(editTokens: readonly string[], own: OwnNotebook): Promise<Map<string, string> | undefined> {
  const saved = listKeptNotebooks();
  const slugs = editTokens.map(editToken => {
    if (editToken === own.editToken) return own.slug;
    return saved.find(notebook => notebook.editToken === editToken)?.slug ?? getOwnNotebook(editToken).then(({ slug }) => slug);
  });
  const found = await Promise.all(slugs).catch(() => undefined);
  return found && new Map(editTokens.map((editToken, place) => [editToken, location.origin + urls.view(found[place]!)]));
}

export interface OwnNotebook {
  readonly editToken: string | undefined;
  readonly slug: string;
}
