import type { FootnoteBook } from '../footnotes.ts';
import { ColorBudget } from '../steps/highlight.ts';
import { type IdClaims, Ids } from '../steps/ids.ts';

type Question = 'claim' | 'next' | 'spend' | 'refer' | 'hasRtlText';
type Answer = boolean | string;

/** A question that a part of a page asked about the whole page while it was made, with the answer. */
export interface Call {
  readonly question: Question;
  readonly about: string | number;
  readonly answer: Answer;
}

/** The state that the parts of a page share: ids, the color budget, footnote numbers. All of it depends on the order of the questions. */
export class PageLedger {
  readonly ids: Ids;
  /** Whether the page has any right-to-left text. */
  hasRtlText = false;
  readonly #colors = new ColorBudget();
  readonly #book: FootnoteBook;

  constructor(idPrefix: string, book: FootnoteBook) {
    this.ids = new Ids(idPrefix);
    this.#book = book;
  }

  ask(question: Question, about: string | number): Answer {
    if (question === 'spend') return this.#colors.spend(Number(about));
    if (question === 'claim') return this.ids.claim(String(about));
    if (question === 'hasRtlText') return this.hasRtlText;
    if (question === 'next') return this.ids.claimNext(String(about));
    const reference = this.#book.refer(String(about));
    return reference ? `${reference.number} ${reference.occurrence}` : '';
  }
}

/**
 * Repeats a part's questions. If every answer is the same, the part need not be made again.
 * @returns the answers up to the first different one, for making the part again; undefined when all were the same
 */
export function replay(ledger: PageLedger, calls: readonly Call[]): Call[] | undefined {
  for (let at = 0; at < calls.length; at += 1) {
    const { question, about, answer } = calls[at]!;
    const now = ledger.ask(question, about);
    if (now !== answer) return [...calls.slice(0, at), { question, about, answer: now }];
  }
  return undefined;
}

/** Wraps the ledger while a part is made and records its calls. */
export class Recorder implements IdClaims {
  readonly calls: Call[] = [];
  readonly prefix: string;
  readonly #ledger: PageLedger;
  readonly #answered: readonly Call[];

  /** @param answered calls this part has already made; it will repeat them */
  constructor(ledger: PageLedger, answered: readonly Call[] = []) {
    this.#ledger = ledger;
    this.#answered = answered;
    this.prefix = ledger.ids.prefix;
  }

  claim(id: string): boolean {
    return this.#ask('claim', id) === true;
  }

  claimNext(wanted: string): string {
    return String(this.#ask('next', wanted));
  }

  spend(chars: number): boolean {
    return this.#ask('spend', chars) === true;
  }

  get hasRtlText(): boolean {
    return this.#ask('hasRtlText', '') === true;
  }

  refer(label: string): { number: number; occurrence: number } | undefined {
    const [number, occurrence] = String(this.#ask('refer', label)).split(' ').map(Number);
    return number && occurrence ? { number, occurrence } : undefined;
  }

  #ask(question: Question, about: string | number): Answer {
    const call = this.#answered[this.calls.length] ?? { question, about, answer: this.#ledger.ask(question, about) };
    this.calls.push(call);
    return call.answer;
  }
}
