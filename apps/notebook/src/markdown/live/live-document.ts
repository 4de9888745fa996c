import { checkBounds, renderBounds } from '../bounds.ts';
import { defaultIdPrefix } from '../default-id-prefix.ts';
import { normalize } from '../normalize.ts';
import { renderPlain } from '../plain.ts';
import { reasonOf, renderMarkdown } from '../render.ts';
import type { PlainReason } from '../rendered.ts';
import { settle } from '../settle.ts';
import { claimNoteIds, notesSection } from '../steps/notes.ts';
import { toHtml } from '../to-html.ts';
import { alignKnown } from './align-known.ts';
import { Grouping, type Piece, PieceMaker, sameGroup } from './pieces.ts';
import { splitWhole } from './split-whole.ts';
import { KnownSources, type UnitSource } from './unit-sources.ts';
import { NeedsFullRendering, Reading, sameSource, type Unit } from './units.ts';

/** A part of the rendered page: one or more whole elements. All parts together equal the output of `renderMarkdown`. */
export interface LivePart {
  readonly html: string;
  /** The 1-based source line where the part starts. Line marks inside it count from 1. */
  readonly line: number;
}

export interface LivePage {
  readonly parts: readonly LivePart[];
  readonly plain?: PlainReason;
  /** How many blocks were rendered for this text. */
  readonly made: number;
  /** True if there is a formula but the engine is not loaded yet. */
  readonly mathMissing?: boolean;
}

interface Known {
  /** The mark attribute's name, which the parts contain until they are sanitized. */
  readonly mark: string;
  readonly units: readonly Unit[];
  readonly pieces: readonly Piece[];
  readonly notes: readonly Unit[];
  readonly notePieces: readonly Piece[];
}

const nothing: Known = { mark: '', units: [], pieces: [], notes: [], notePieces: [] };

/** Renders a page while it is written. For each new text only changed blocks are rendered; the result equals a full rendering. */
export class LiveDocument {
  readonly #idPrefix: string;
  readonly #sourceLines: boolean;
  readonly #sources = new KnownSources();
  readonly #grouping = new Grouping();
  #known = nothing;

  constructor({ idPrefix = defaultIdPrefix, sourceLines = true }: { idPrefix?: string; sourceLines?: boolean } = {}) {
    this.#idPrefix = idPrefix;
    this.#sourceLines = sourceLines;
  }

  render(markdown: string): LivePage {
    try {
      const source = normalize(markdown);
      const over = checkBounds(source);
      return over ? plainPage(markdown, over) : this.#renderInParts(source);
    } catch (error) {
      this.#known = nothing;
      if (error instanceof NeedsFullRendering) return this.#renderWhole(markdown);
      return plainPage(markdown, reasonOf(error) ?? 'fault');
    }
  }

  #renderInParts(source: string): LivePage {
    const reading = new Reading(source, this.#idPrefix, this.#sources);
    const { mark } = reading.engine;
    const before = this.#known.mark === mark.attribute ? this.#known : nothing;
    const sources = [...reading.units()];
    const units = alignKnown(sources, before.units, sameSource).map((known, at) =>
      reading.unit(sources[at]!, known, this.#sourceLines),
    );
    const notes: Unit[] = [];
    for (const note of reading.engine.book.numbered)
      notes.push(reading.unit(reading.noteSource(note), before.notes[notes.length], false));
    requireWithinBounds(units);

    reading.ledger.hasRtlText = [...units, ...notes].some(unit => unit.hasRtlText);
    const maker = new PieceMaker(reading.ledger, mark);
    const { numbered } = reading.engine.book;
    claimNoteIds(numbered, reading.ledger.ids);
    const groups = this.#grouping.groups(units);
    const pieces = alignKnown(groups, before.pieces, sameGroup).map((known, at) => maker.piece(groups[at]!, known));
    const noteGroups = notes.map((note, at) => ({
      units: [note],
      first: true,
      note: { number: at + 1, references: numbered[at]!.references },
    }));
    const notePieces = noteGroups.map((group, at) => {
      const old = before.notePieces[at];
      return maker.piece(group, old && sameGroup(group, old) ? old : undefined);
    });
    for (const piece of [...pieces, ...notePieces]) maker.resolveLinks(piece);
    this.#known = { mark: mark.attribute, units, pieces, notes, notePieces };
    const kept = new Set([...before.units, ...before.notes]);
    const made = [...units, ...notes].filter(unit => !kept.has(unit)).length;
    requireMathWithinBounds([...pieces, ...notePieces]);
    const mathMissing = [...pieces, ...notePieces].some(piece => piece.mathMissing);
    // A result without its formulas is not worth keeping.
    if (mathMissing) this.#known = nothing;
    return { parts: this.#partsOf(sources, units, pieces, notePieces), made, mathMissing };
  }

  #partsOf(
    sources: readonly UnitSource[],
    units: readonly Unit[],
    pieces: readonly Piece[],
    notes: readonly Piece[],
  ): LivePart[] {
    const parts: LivePart[] = [];
    let chars = 0;
    let line = 1;
    let at = 0;
    for (const { units: own, html } of pieces) {
      // A unit that shows nothing belongs to no piece.
      while (units[at] !== own[0]) line += sources[at++]!.lines;
      parts.push({ html, line });
      for (const _ of own) line += sources[at++]!.lines;
      chars += html.length;
    }
    if (notes.length > 0) parts.push({ html: notesHtml(notes, this.#idPrefix), line });
    // The full rendering decides whether it is too long.
    if (chars > renderBounds.outputChars) throw new NeedsFullRendering();
    return parts;
  }

  #renderWhole(markdown: string): LivePage {
    const whole = renderMarkdown(markdown, { idPrefix: this.#idPrefix, sourceLines: this.#sourceLines });
    if (whole.plain) return plainPage(markdown, whole.plain);
    const parts = splitWhole(whole.html);
    return { parts, made: parts.length, mathMissing: whole.mathMissing ?? false };
  }
}

function plainPage(markdown: string, plain: PlainReason): LivePage {
  return { parts: [{ html: renderPlain(markdown, plain).html, line: 1 }], plain, made: 1 };
}

/** Well below the limits, parts and full rendering agree. Near them only the full rendering can decide. */
function requireWithinBounds(units: readonly Unit[]): void {
  let chars = 0;
  let tags = 0;
  for (const { unsafe, tags: own } of units) {
    chars += unsafe.length;
    tags += own;
  }
  if (chars > renderBounds.unsafeChars || tags > renderBounds.elements) throw new NeedsFullRendering();
}

function requireMathWithinBounds(pieces: readonly Piece[]): void {
  let chars = 0;
  let elements = 0;
  for (const { mathSpent } of pieces) {
    chars += mathSpent.chars;
    elements += mathSpent.elements;
  }
  const { texChars, mathElements, mathElementsPerFormula } = renderBounds;
  if (chars > texChars || elements > mathElements - mathElementsPerFormula) throw new NeedsFullRendering();
}

/** The HTML that `notesSection` would give, around notes that are already HTML. */
function notesHtml(notes: readonly Piece[], idPrefix: string): string {
  const shell = toHtml({ type: 'root', children: [notesSection([], idPrefix)] });
  const html = shell.replace('<ol>\n', () => `<ol>\n${notes.map(note => `${note.html}\n`).join('')}`);
  return notes.some(note => note.units.some(unit => unit.sawHtml)) ? settle(html) : html;
}
