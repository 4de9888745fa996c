import { withLineFeeds } from '../../merge/line-feeds.ts';
import { findFence } from '../formatting/fence.ts';
import { readImages } from '../images/pasted-images.ts';
import { caretAtPointer } from '../text/caret-at-pointer.ts';
import type { FieldText } from '../text/field-text.ts';
import type { FieldContext, FieldWiring } from '../text/field-wiring.ts';
import { readField } from '../text/text-edit.ts';
import { convertHtml } from './convert-html.ts';
import { readTexts, sortDropped } from './dropped-files.ts';
import { consentToEditLinks } from './edit-link-consent.ts';
import { askAboutEditLink } from './edit-link-dialog.tsx';
import { findEditTokens, findViewLinks, replaceEditLinks } from './edit-links.ts';
import { isLinkPaste, linkPaste, markdownPaste, plainPaste } from './paste-edit.ts';
import { type PendingPaste, PendingPastes } from './pending-pastes.ts';

/** Turns rich text into Markdown and an address over a selection into a link, and asks about edit links. The browser does the rest. */
export const wirePaste: FieldWiring = (field, context) => {
  let plainWanted = false;
  const pendingPastes = new PendingPastes(field, context);
  const listening = new AbortController();
  const { signal } = listening;
  const onKey = (event: KeyboardEvent): void => {
    plainWanted = event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v';
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = readPasted(event, field, plainWanted);
    plainWanted = false;
    if (pasted) pendingPastes.add(readField(field), pendingPasteOf(pasted, field, context.session));
    // Beside their names, which some systems copy with files, the browser pastes the names.
    else if (!event.defaultPrevented && !field.readOnly && event.clipboardData?.getData('text/plain') === '')
      takeFiles(event, event.clipboardData, 'Paste', () => readField(field));
  };
  /** Images that came along are left to their own wiring. @returns false when nothing here is meant */
  const takeFiles = (event: Event, data: DataTransfer | null, how: 'Drop' | 'Paste', place: () => FieldText): boolean => {
    const { texts, refusal } = sortDropped([...(data?.files ?? [])], how);
    if (texts.length === 0 && refusal === undefined) return false;
    event.preventDefault();
    if (refusal !== undefined) tell(refusal);
    if (texts.length > 0) pendingPastes.add(place(), pendingFiles(texts));
    return true;
  };
  const placeOfDrop = (event: DragEvent): FieldText => {
    // A selection elsewhere in the text is not replaced.
    const at = caretAtPointer(field, event);
    return { text: field.value, start: at, end: at };
  };
  const tell = (text: string): void => context.session.notes.show({ name: 'dropped files', tone: 'warning', text });
  const pendingFiles = (files: readonly File[]): PendingPaste => ({
    content: async () => {
      try {
        return await guard(field, await readTexts(files), context.session);
      } catch (problem) {
        tell((problem as Error).message);
        return undefined;
      }
    },
    edit: markdownPaste,
  });
  const onDrop = (event: DragEvent): void => {
    if (event.defaultPrevented || field.readOnly) return;
    if (takeFiles(event, event.dataTransfer, 'Drop', () => placeOfDrop(event))) return;
    const text = event.dataTransfer?.getData('text/plain') ?? '';
    if (findEditTokens(text, context.session.editToken).length === 0) return;
    event.preventDefault();
    pendingPastes.add(placeOfDrop(event), pendingPasteOf({ text: withLineFeeds(text), html: '' }, field, context.session));
  };
  // Decides about the paste before the browser acts on it, so that all the rules are in this file.
  const readPasted = (event: ClipboardEvent, at: HTMLTextAreaElement, plain: boolean): Pasted | undefined => {
    const data = event.clipboardData;
    if (!data || event.defaultPrevented || at.readOnly || readImages(data).length > 0) return undefined;
    const text = withLineFeeds(data.getData('text/plain'));
    const now = readField(at);
    const literal = plain || findFence(now.text, now.start) !== undefined;
    const html = literal || data.types.includes('vscode-editor-data') ? '' : data.getData('text/html');
    const guarded = findEditTokens(text + html, context.session.editToken).length > 0;
    const linking = !literal && isLinkPaste(now, text);
    if (!guarded && !linking && !isFormatted(html)) return undefined;
    event.preventDefault();
    return { text, html: linking || !isFormatted(html) ? '' : html, linking };
  };
  field.addEventListener('keydown', onKey, { signal });
  field.addEventListener('paste', onPaste, { signal });
  field.addEventListener('drop', onDrop, { signal });
  return () => {
    pendingPastes.close();
    listening.abort();
  };
};

interface Pasted {
  readonly text: string;
  /** Empty when the plain text is to be used. */
  readonly html: string;
  readonly linking?: boolean;
}

/** Whether the HTML has anything that plain text cannot express. Only then is it worth loading and starting a parser. */
function isFormatted(html: string): boolean {
  return /<(?:h[1-6]|b|strong|i|em|s|del|strike|code|samp|tt|pre|a|ul|ol|table|blockquote|hr|img|details|kbd|sub|sup|mark)\b|font-weight|font-style|line-through|mso-list/i.test(
    html,
  );
}

function pendingPasteOf(
  { text, html, linking }: Pasted,
  field: HTMLTextAreaElement,
  session: FieldContext['session'],
): PendingPaste {
  let markdown: string | undefined;
  // An edit link goes nowhere before the person was asked: a draft may be taken up and saved without that question.
  const isGuarded = findEditTokens(text, session.editToken).length > 0;
  return {
    ...(isGuarded ? {} : { draft: text }),
    content: async () => {
      // If the conversion fails, the plain text goes in, because the browser's own paste was canceled.
      markdown = html === '' ? undefined : await convertHtml(html).catch(() => undefined);
      return guard(field, markdown ?? text, session);
    },
    edit: (now, content) => {
      if (linking) return linkPaste(now, content);
      return markdown === undefined ? plainPaste(now, content) : markdownPaste(now, content);
    },
  };
}

/** @returns the text that may be inserted, or undefined */
async function guard(field: HTMLTextAreaElement, content: string, session: FieldContext['session']): Promise<string | undefined> {
  const editTokens = findEditTokens(content, session.editToken);
  if (editTokens.length === 0) return content;
  const viewLinks = await findViewLinks(editTokens, session);
  const choice = await askAboutEditLink(viewLinks !== undefined);
  if (choice === 'view' && viewLinks) return replaceEditLinks(content, viewLinks);
  if (choice !== 'edit') return undefined;
  consentToEditLinks(field);
  return content;
}
