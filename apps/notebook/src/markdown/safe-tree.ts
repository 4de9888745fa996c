import type { Element, Root } from 'hast';
import { sanitize } from 'hast-util-sanitize';
import { parseBounded } from './bounded-tree.ts';
import { OverBound, renderBounds } from './bounds.ts';
import type { UnsafeDocument } from './engine.ts';
import type { Mark } from './mark.ts';
import type { Formula } from './math/formula.ts';
import { FormulaDrawer } from './math/formula-drawer.ts';
import { treeOf } from './parsed-tree.ts';
import type { Heading } from './rendered.ts';
import { schemaFor } from './schema.ts';
import { makeAlert } from './steps/alerts.ts';
import { isDiagram } from './steps/diagrams.ts';
import { baseDirectionOf, Directions, hasRightToLeft } from './steps/directions.ts';
import { type EmojiPlace, emojiPlace, fillEmoji } from './steps/emoji.ts';
import { makeFigure } from './steps/figures.ts';
import { headingText, placeHeading } from './steps/headings.ts';
import { ColorBudget, Highlighter } from './steps/highlight.ts';
import { type IdClaims, Ids } from './steps/ids.ts';
import { hardenImage, hardenLink, resolveFragment } from './steps/links.ts';
import { claimNoteIds, fillReference, noteItem, notesSection } from './steps/notes.ts';
import { markTask } from './steps/task-lists.ts';
import { type Parent, visitElements } from './tree.ts';

/** Parses HTML as a browser would and sanitizes it. After this only our own steps add anything, from constants and safe values. */
export function sanitizedTree(html: string, mark: Mark, idPrefix: string): Root {
  if (html.length > renderBounds.unsafeChars) throw new OverBound('output');
  const safe = sanitize(treeOf(parseBounded(html)), schemaFor(mark, idPrefix));
  return safe.type === 'root' ? safe : { type: 'root', children: [safe as Element] };
}

/** Makes the whole page a safe tree, including everything that we add: ids, anchors, footnotes, alerts, tasks, colors. */
export function toSafeTree(
  { html, notes, formulas, mark }: UnsafeDocument,
  idPrefix: string,
  pageDirection = false,
): { tree: Root; headings: Heading[]; direction: 'ltr' | 'rtl'; mathMissing: boolean; diagrams: boolean } {
  const ids = new Ids(idPrefix);
  claimNoteIds(notes, ids);
  const hasRtlText = hasRightToLeft(html) || notes.some(note => hasRightToLeft(note.html));
  const direction = hasRtlText && pageDirection ? baseDirectionOf(html) : 'ltr';
  const finisher = new Finisher({ mark, formulas, ids, colors: new ColorBudget(), hasRtlText, direction });
  const tree = finisher.finish(sanitizedTree(html, mark, idPrefix));
  const items = notes.map((note, index) =>
    noteItem(finisher.finish(sanitizedTree(note.html, mark, idPrefix)), index + 1, note.references, idPrefix),
  );
  if (items.length > 0) tree.children.push(notesSection(items, idPrefix));
  for (const link of finisher.fragments) resolveFragment(link, ids);
  const { headings, diagrams, drawer } = finisher;
  return { tree, headings, direction, mathMissing: drawer.engineMissing, diagrams };
}

export interface FinisherParts {
  readonly mark: Mark;
  readonly formulas: readonly Formula[];
  readonly ids: IdClaims;
  readonly colors: Pick<ColorBudget, 'spend'>;
  /** Whether the page has any right-to-left text. */
  readonly hasRtlText: boolean;
  /** The page's direction. Default left-to-right. */
  readonly direction?: 'ltr' | 'rtl';
}

/** Runs our own steps on a page: on its body, then on each footnote. */
export class Finisher {
  readonly headings: Heading[] = [];
  /** Links within the page, resolved once all its ids are known. */
  readonly fragments: Element[] = [];
  readonly drawer = new FormulaDrawer();
  /** True if there is a code block that the reader's browser draws as a diagram. */
  diagrams = false;
  readonly #headingNodes = new WeakMap<Heading, Element>();
  readonly #ids: IdClaims;
  readonly #markProperty: string;
  readonly #highlighter: Highlighter;
  readonly #formulas: readonly Formula[];
  readonly #directions: Directions;

  constructor({ mark, formulas, ids, colors, hasRtlText, direction }: FinisherParts) {
    this.#markProperty = mark.property;
    this.#ids = ids;
    this.#highlighter = new Highlighter(colors);
    this.#formulas = formulas;
    this.#directions = new Directions(hasRtlText, direction);
  }

  finish(tree: Root): Root {
    const references: [Element, Parent[], string][] = [];
    const formulas: [Element, Formula][] = [];
    const emoji: EmojiPlace[] = [];
    const firstHeading = this.headings.length;
    visitElements(tree, (node, ancestors) => {
      const mark = this.#takeMark(node);
      if (mark?.startsWith('note ')) references.push([node, [...ancestors], mark]);
      if (mark === 'emoji') emoji.push(emojiPlace(node, ancestors));
      if (mark?.startsWith('math ')) formulas.push([node, this.#formulas[Number(mark.slice('math '.length)) - 1]!]);
      if (mark?.startsWith('line ')) node.properties.dataLine = mark.slice('line '.length);
      this.#step(node, ancestors);
    });
    if (emoji.length > 0) this.#fillEmoji(emoji, firstHeading);
    // Done last; otherwise a note's number and a formula's parts would become part of a heading's text.
    for (const [place, formula] of formulas) this.drawer.fill(place, formula);
    for (const [node, ancestors, mark] of references) {
      const [, number, occurrence] = mark.split(' ').map(Number) as [number, number, number];
      fillReference(node, ancestors, number, occurrence, this.#ids.prefix);
    }
    return tree;
  }

  /** As on GitHub, a heading's id is made from emoji names, while its text has the emoji. */
  #fillEmoji(emoji: readonly EmojiPlace[], firstHeading: number): void {
    fillEmoji(emoji);
    for (let at = firstHeading; at < this.headings.length; at += 1) {
      const heading = this.headings[at]!;
      const node = this.#headingNodes.get(heading);
      if (node && heading.text.includes(':')) this.headings[at] = { ...heading, text: headingText(node) };
    }
  }

  #step(node: Element, ancestors: readonly Parent[]): void {
    const { id } = node.properties;
    // The first of two elements with the same id keeps it. Our own ids were claimed before, so none can be taken.
    if (typeof id === 'string' && !this.#ids.claim(id)) delete node.properties.id;
    makeFigure(node);
    makeAlert(node, ancestors);
    markTask(node, ancestors);
    hardenImage(node);
    const fragment = hardenLink(node);
    if (fragment) this.fragments.push(fragment);
    const heading = placeHeading(node, ancestors, this.#ids);
    if (heading) {
      this.headings.push(heading);
      this.#headingNodes.set(heading, node);
    }
    this.#directions.place(node, ancestors);
    this.#highlighter.highlight(node);
    if (isDiagram(node)) this.diagrams = true;
  }

  #takeMark(node: Element): string | undefined {
    const value = node.properties[this.#markProperty];
    // Most elements have none, and deleting nothing takes its time too.
    if (value === undefined) return undefined;
    delete node.properties[this.#markProperty];
    return value === null ? undefined : String(value);
  }
}
