import { parse } from 'parse5';
import { isFromCodeEditor } from './code.ts';
import { PasteWriter } from './paste-writer.ts';
import { childElements, isElement } from './pasted-tree.ts';

/**
 * Converts clipboard HTML to Markdown. Undefined when the plain text says as much. The HTML is parsed into plain objects; no
 * part of it touches the document.
 */
export function htmlToMarkdown(html: string): string | undefined {
  const root = parse(html).childNodes.find(isElement);
  const body = root && childElements(root).find(({ tagName }) => tagName === 'body');
  if (!body || isFromCodeEditor(body)) return undefined;
  const writer = new PasteWriter();
  writer.write(body.childNodes);
  const markdown = writer.take();
  return writer.formatted && markdown !== '' ? markdown : undefined;
}
