import type { Element, ElementContent, Root } from 'hast';
import { element, isInside, type Parent, text } from '../tree.ts';
import type { IdClaims } from './ids.ts';

/** Footnote ids are made from numbers, never from labels, so that nothing of the text gets into them. */
function noteId(prefix: string, number: number): string {
  return `${prefix}fn-${number}`;
}

function referenceId(prefix: string, number: number, occurrence: number): string {
  return `${prefix}fnref-${number}${occurrence > 1 ? `-${occurrence}` : ''}`;
}

function labelId(prefix: string): string {
  return `${prefix}footnote-label`;
}

/** Must be called before the text's own ids are claimed. */
export function claimNoteIds(notes: readonly { references: number }[], ids: IdClaims): void {
  if (notes.length === 0) return;
  ids.claim(labelId(ids.prefix));
  notes.forEach(({ references }, index) => {
    ids.claim(noteId(ids.prefix, index + 1));
    for (let occurrence = 1; occurrence <= references; occurrence += 1) ids.claim(referenceId(ids.prefix, index + 1, occurrence));
  });
}

export function fillReference(
  node: Element,
  ancestors: readonly Parent[],
  number: number,
  occurrence: number,
  prefix: string,
): void {
  const id = referenceId(prefix, number, occurrence);
  if (isInside(ancestors, 'a')) {
    node.properties = { id };
    node.children = [text(String(number))];
    return;
  }
  const properties = { href: `#${noteId(prefix, number)}`, id, dataFootnoteRef: true, ariaDescribedBy: [labelId(prefix)] };
  node.children = [element('a', properties, [text(String(number))])];
}

function backReference(number: number, occurrence: number, prefix: string): Element {
  const name = `${number}${occurrence > 1 ? `-${occurrence}` : ''}`;
  const more = occurrence > 1 ? [element('sup', {}, [text(String(occurrence))])] : [];
  return element(
    'a',
    {
      href: `#${referenceId(prefix, number, occurrence)}`,
      dataFootnoteBackref: true,
      ariaLabel: `Back to reference ${name}`,
      className: ['data-footnote-backref'],
    },
    [text('↩'), ...more],
  );
}

/** Makes one footnote: its content, with the back links at the end of its last paragraph. */
export function noteItem(content: Root, number: number, references: number, prefix: string): Element {
  const children = content.children.filter(child => child.type !== 'doctype') as ElementContent[];
  const last = children.findLast(child => child.type === 'element' || (child.type === 'text' && child.value.trim() !== ''));
  const home = last?.type === 'element' && last.tagName === 'p' ? last.children : children;
  for (let occurrence = 1; occurrence <= references; occurrence += 1)
    home.push(text(' '), backReference(number, occurrence, prefix));
  return element('li', { id: noteId(prefix, number) }, [text('\n'), ...children, text('\n')]);
}

export function notesSection(items: readonly Element[], prefix: string): Element {
  const heading = element('h2', { className: ['sr-only'], id: labelId(prefix) }, [text('Footnotes')]);
  const list = element('ol', {}, [text('\n'), ...items.flatMap(item => [item, text('\n')])]);
  return element('section', { dataFootnotes: true, className: ['footnotes'] }, [heading, text('\n'), list, text('\n')]);
}
