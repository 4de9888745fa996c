import type { Element, Root } from 'hast';
import type { Mark } from '../mark.ts';
import type { Formula } from '../math/formula.ts';
import { Finisher, sanitizedTree } from '../safe-tree.ts';
import { settleTree } from '../settle.ts';
import { resolveFragment } from '../steps/links.ts';
import { noteItem } from '../steps/notes.ts';
import { toHtml } from '../to-html.ts';
import { type Call, type PageLedger, Recorder, replay } from './ledger.ts';
import { NeutralReader, opener } from './neutral.ts';
import { NeedsFullRendering, type Unit } from './units.ts';

/** Units that the HTML parser must read together: mostly one, but several if a tag opened in one block is closed in another. */
export interface Group {
  readonly units: readonly Unit[];
  /** True if nothing comes before it. */
  readonly first: boolean;
  /** For a footnote: its number, and how many references it has. */
  readonly note?: { readonly number: number; readonly references: number };
}

/** A group as safe HTML. */
export interface Piece extends Group {
  html: string;
  readonly calls: readonly Call[];
  /** Whether its HTML is parsed again until parsing changes nothing. */
  readonly settled: boolean;
  /** Links within the page, with their written addresses. The tree is kept only if there are any. */
  readonly fragments: readonly { readonly link: Element; readonly href: string }[];
  readonly tree: Root | undefined;
  readonly mathSpent: { readonly chars: number; readonly elements: number };
  readonly mathMissing: boolean;
}

/** Groups units and remembers the results, because parsing HTML costs more than everything else done for a unit. */
export class Grouping {
  readonly #known = new WeakMap<Unit, KnownRun>();

  /** HTML made only from Markdown has all its tags closed. HTML written in the text must be parsed to know. */
  groups(units: readonly Unit[]): Group[] {
    const groups: Group[] = [];
    for (let at = 0; at < units.length; ) {
      const first = groups.length === 0;
      const together = units[at]!.sawHtml ? this.#run(units, at, first) : [units[at]!];
      // A unit that shows nothing is no piece, and the next one still counts as the first.
      if (together.some(unit => unit.unsafe !== '')) groups.push({ units: together, first });
      at += together.length;
    }
    return groups;
  }

  #run(units: readonly Unit[], from: number, first: boolean): readonly Unit[] {
    const known = this.#known.get(units[from]!);
    if (known?.first === first && isUnchanged(known, units, from)) return known.units;
    const reader = new NeutralReader(first);
    let closed = false;
    let end = from;
    while (end < units.length && !closed) closed = reader.read(units[end++]!.unsafe);
    const run = { units: units.slice(from, end), first, closed };
    this.#known.set(units[from]!, run);
    return run.units;
  }
}

/** A known run of units that the HTML parser reads together. */
interface KnownRun extends Group {
  /** False if the run extends to the end of the text, whatever is added. */
  readonly closed: boolean;
}

function isUnchanged(run: KnownRun, units: readonly Unit[], from: number): boolean {
  if (!run.closed && from + run.units.length !== units.length) return false;
  return run.units.every((unit, at) => unit === units[from + at]);
}

export function sameGroup(one: Group, other: Group): boolean {
  return (
    one.units.length === other.units.length &&
    one.units.every((unit, at) => unit === other.units[at]) &&
    one.note?.number === other.note?.number &&
    one.note?.references === other.note?.references &&
    (one.first === other.first || !other.units[0]!.sawHtml)
  );
}

export class PieceMaker {
  readonly #ledger: PageLedger;
  readonly #mark: Mark;

  constructor(ledger: PageLedger, mark: Mark) {
    this.#ledger = ledger;
    this.#mark = mark;
  }

  /** @param known the same group's earlier piece, kept if the page still gives it the same answers */
  piece(group: Group, known: Piece | undefined): Piece {
    const { note } = group;
    const answered = known ? replay(this.#ledger, known.calls) : [];
    if (known && !answered) return known;
    const recorder = new Recorder(this.#ledger, answered);
    const formulas = formulasOf(group);
    const finisher = new Finisher({
      mark: this.#mark,
      formulas,
      ids: recorder,
      colors: recorder,
      hasRtlText: recorder.hasRtlText,
    });
    // The footnotes section is settled as a whole.
    const settled = !note && group.units.some(unit => unit.sawHtml);
    let tree = finisher.finish(this.#sanitized(group, settled));
    if (note) tree = { type: 'root', children: [noteItem(tree, note.number, note.references, recorder.prefix)] };
    const fragments = finisher.fragments.map(link => ({ link, href: String(link.properties.href) }));
    const keptTree = fragments.length > 0 ? tree : undefined;
    const { spent, engineMissing } = finisher.drawer;
    const html = write(tree, settled);
    return {
      ...group,
      html,
      calls: recorder.calls,
      settled,
      fragments,
      tree: keptTree,
      mathSpent: spent,
      mathMissing: engineMissing,
    };
  }

  /** Points links within the page to their current targets. */
  resolveLinks(piece: Piece): void {
    if (!piece.tree) return;
    let moved = false;
    for (const { link, href } of piece.fragments) {
      const before = link.properties.href;
      link.properties.href = href;
      resolveFragment(link, this.#ledger.ids);
      moved ||= link.properties.href !== before;
    }
    if (moved) piece.html = write(piece.tree, piece.settled);
  }

  /** Joins the units' HTML, with line marks counted from the first unit. */
  #join(units: readonly Unit[]): string {
    let above = 0;
    let html = '';
    for (const { unsafe, lines } of units) {
      const mark = `${this.#mark.attribute}="line `;
      const offset = above;
      // super-linear: it begins with a name that the text does not contain.
      html +=
        offset === 0 ? unsafe : unsafe.replaceAll(new RegExp(`${mark}(\\d+)`, 'g'), (_, line) => mark + (Number(line) + offset));
      above += lines;
    }
    return html;
  }

  #sanitized({ units, first }: Group, inBody: boolean): Root {
    const html = this.#join(units);
    if (!inBody || first) return sanitizedTree(html, this.#mark, this.#ledger.ids.prefix);
    const tree = sanitizedTree(opener + html, this.#mark, this.#ledger.ids.prefix);
    tree.children.shift();
    return tree;
  }
}

/** Formulas are numbered per unit, so only one unit of a group may have any. */
function formulasOf({ units }: Group): readonly Formula[] {
  const having = units.filter(unit => unit.formulas.length > 0);
  if (having.length > 1) throw new NeedsFullRendering();
  return having[0]?.formulas ?? [];
}

function write(tree: Root, settled: boolean): string {
  const html = toHtml(tree);
  return settled ? settleTree(tree, html) : html;
}
