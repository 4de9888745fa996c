import type { Element, Root } from 'hast';
import type { Mark } from '../mark.ts';
import type { Formula } from '../math/formula.ts';
import { Finisher, sanitizedTree } from '../safe-tree.ts';
import { settle } from '../settle.ts';
import { aimFragment } from '../steps/links.ts';
import { noteItem } from '../steps/notes.ts';
import { toHtml } from '../to-html.ts';
import { type Call, type PageLedger, Recorder, replay } from './ledger.ts';
import { NeutralReader, opener } from './neutral.ts';
import { NotByParts, type Unit } from './units.ts';

/** Units that the HTML parser must read together; mostly one. Several where a tag is opened in one block and closed in another. */
export interface Group {
  readonly units: readonly Unit[];
  /** Nothing stands before it. */
  readonly first: boolean;
  /** For a note: which it is, and how often it is referred to. */
  readonly note?: { readonly number: number; readonly references: number };
}

/** A group as safe HTML. */
export interface Piece extends Group {
  html: string;
  readonly calls: readonly Call[];
  /** Whether its HTML is read again until reading changes nothing. */
  readonly settled: boolean;
  /** Links within the page, with what the text wrote; only then the tree is kept. */
  readonly fragments: readonly { readonly link: Element; readonly href: string }[];
  readonly tree: Root | undefined;
  readonly mathSpent: { readonly chars: number; readonly elements: number };
  readonly mathMissing: boolean;
}

/** Puts units together, and remembers what it read, because reading HTML costs more than all else that is done for each unit. */
export class Grouping {
  readonly #known = new WeakMap<Unit, KnownRun>();

  /** HTML that markdown alone makes is closed in itself; what the text wrote as HTML must be read to know. */
  groups(units: readonly Unit[]): Group[] {
    const groups: Group[] = [];
    for (let at = 0; at < units.length; ) {
      const first = groups.length === 0;
      const together = units[at]!.sawHtml ? this.#run(units, at, first) : [units[at]!];
      // What shows nothing is no piece; the next one is still the first.
      if (together.some(unit => unit.unsafe !== '')) groups.push({ units: together, first });
      at += together.length;
    }
    return groups;
  }

  #run(units: readonly Unit[], from: number, first: boolean): readonly Unit[] {
    const known = this.#known.get(units[from]!);
    if (known?.first === first && goesOn(known, units, from)) return known.units;
    const reader = new NeutralReader(first);
    let closed = false;
    let end = from;
    while (end < units.length && !closed) closed = reader.read(units[end++]!.unsafe);
    const run = { units: units.slice(from, end), first, closed };
    this.#known.set(units[from]!, run);
    return run.units;
  }
}

/** Units that the HTML parser reads together. */
interface KnownRun extends Group {
  /** Otherwise it goes to the end of the text, whatever comes. */
  readonly closed: boolean;
}

function goesOn(run: KnownRun, units: readonly Unit[], from: number): boolean {
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

  /** @param known the same group made before; kept when the page still answers it the same */
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
      mirrored: recorder.mirrored,
    });
    // A section of notes is settled as a whole.
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

  /** Links within the page go where their places are now. */
  aim(piece: Piece): void {
    if (!piece.tree) return;
    let moved = false;
    for (const { link, href } of piece.fragments) {
      const before = link.properties.href;
      link.properties.href = href;
      aimFragment(link, this.#ledger.ids);
      moved ||= link.properties.href !== before;
    }
    if (moved) piece.html = write(piece.tree, piece.settled);
  }

  /** Line marks count from the first unit. */
  #join(units: readonly Unit[]): string {
    let above = 0;
    let html = '';
    for (const { unsafe, lines } of units) {
      const mark = `${this.#mark.attribute}="line `;
      const offset = above;
      // super-linear: begins with a name that the text does not contain.
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

/** Formulas are numbered within their unit, so only one unit of a group may have them. */
function formulasOf({ units }: Group): readonly Formula[] {
  const having = units.filter(unit => unit.formulas.length > 0);
  if (having.length > 1) throw new NotByParts();
  return having[0]?.formulas ?? [];
}

function write(tree: Root, settled: boolean): string {
  const html = toHtml(tree);
  return settled ? settle(html) : html;
}
