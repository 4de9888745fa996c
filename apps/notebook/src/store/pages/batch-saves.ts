import { workFor } from '../../event-loop-turns.ts';
import { DatabaseUnavailable } from '../database-unavailable.ts';

/** The fields of a save that decide how it is grouped. */
export interface BatchableSave {
  readonly notebook: string;
  readonly text: string | null;
  readonly slotName: string | null;
  readonly slotKey: string | null;
}

export interface PlacedAnswer {
  /** The number of the save that this answers, from 1. */
  readonly place: number;
  readonly kind: string;
}

/**
 * Runs saves in one statement. With `waits` false, a save whose notebook another transaction holds is answered `busy`, with its rate slot
 * counted; a slot that is held ends the statement (55P03), with nothing counted.
 */
export type Run<Save, Answer> = (saves: readonly Save[], waits: boolean) => Promise<readonly Answer[]>;

export interface BatchOptions {
  readonly maxSaves: number;
  /** The limit for the texts of one statement together; a longer text goes alone. */
  readonly maxChars: number;
  /** Concurrent statements; while all are under way, saves gather. */
  readonly maxUnderWay: number;
  /**
   * Waiting saves are spread over the free statements, in groups no smaller than this: one group works while another waits for the disk.
   */
  readonly share: number;
}

const usual: BatchOptions = { maxSaves: 16, maxChars: 256 * 1024, maxUnderWay: 2, share: 8 };

interface Waiting<Save, Answer> {
  readonly save: Save;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends saves that arrive while others are under way to the server together: one round trip, one commit, and an answer for each. No save
 * waits for another's notebook or slot: one that finds its own held by another transaction is retried alone, and then waits. Saves of one
 * notebook are never in two statements at once, because the second would only wait for the first. A statement waits for its turn in no
 * client's line, because it is for many.
 */
export function batchSaves<Save extends BatchableSave, Answer extends PlacedAnswer>(
  run: Run<Save, Answer>,
  { maxSaves, maxChars, maxUnderWay, share }: BatchOptions = usual,
): (save: Save) => Promise<Answer> {
  let waiting: Waiting<Save, Answer>[] = [];
  const notebooks = new Set<string>();
  let underWay = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || underWay >= maxUnderWay) return;
    scheduled = true;
    // Saves that arrive in the same turn of the event loop are included.
    setImmediate(() => {
      scheduled = false;
      while (underWay < maxUnderWay) {
        const group = takeGroup(Math.max(share, Math.ceil(waiting.length / (maxUnderWay - underWay))));
        if (group.length === 0) return;
        void send(group);
      }
    });
  }

  function takeGroup(most: number): Waiting<Save, Answer>[] {
    const group: Waiting<Save, Answer>[] = [];
    const left: Waiting<Save, Answer>[] = [];
    let chars = 0;
    for (const each of waiting) {
      const { notebook, text } = each.save;
      const more = text?.length ?? 0;
      const fits = group.length < Math.min(most, maxSaves) && (group.length === 0 || chars + more <= maxChars);
      if (!fits || notebooks.has(notebook)) {
        left.push(each);
        continue;
      }
      group.push(each);
      chars += more;
    }
    waiting = left;
    for (const { save } of group) notebooks.add(save.notebook);
    return group.sort(bySlot);
  }

  async function send(group: readonly Waiting<Save, Answer>[]): Promise<void> {
    underWay++;
    let alone: readonly Waiting<Save, Answer>[] = [];
    let counted = true;
    try {
      alone = answerAll(group, await workFor(undefined, () => run(saves(group), false)));
    } catch (error) {
      if (shouldRetryAlone(error, group.length)) alone = group;
      else for (const { reject } of group) reject(error);
      counted = false;
    }
    underWay--;
    for (const { save } of group) notebooks.delete(save.notebook);
    for (const each of alone) void sendAlone(each, counted);
    schedule();
  }

  /** Sends a save alone, so that its fault stays its own. A slot that was counted is not counted again. */
  async function sendAlone(one: Waiting<Save, Answer>, counted: boolean): Promise<void> {
    try {
      const save = counted ? { ...one.save, slotName: null, slotKey: null } : one.save;
      const [answer] = await workFor(undefined, () => run([save], true));
      if (!answer) throw new Error('A save got no answer.');
      one.resolve(answer);
    } catch (error) {
      one.reject(error);
    }
  }

  return save =>
    new Promise((resolve, reject) => {
      waiting.push({ save, resolve, reject });
      schedule();
    });
}

function saves<Save>(group: readonly { readonly save: Save }[]): Save[] {
  return group.map(({ save }) => save);
}

/** @returns the saves that found their notebook held by another transaction */
function answerAll<Save, Answer extends PlacedAnswer>(
  group: readonly Waiting<Save, Answer>[],
  answers: readonly Answer[],
): readonly Waiting<Save, Answer>[] {
  const byPlace = new Map(answers.map(answer => [answer.place, answer]));
  return group.filter(({ resolve, reject }, at) => {
    const answer = byPlace.get(at + 1);
    if (answer?.kind === 'busy') return true;
    if (answer) resolve(answer);
    else reject(new Error('A save got no answer.'));
    return false;
  });
}

/** Slots are always taken in the same order, so that no two transactions wait for each other's. */
function bySlot({ save: a }: { readonly save: BatchableSave }, { save: b }: { readonly save: BatchableSave }): number {
  return compare(a.slotName ?? '', b.slotName ?? '') || compare(a.slotKey ?? '', b.slotKey ?? '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

// A lock that was not released, a serialization failure, a deadlock: one save caused it, and all were rolled back.
const undone = new Set(['55P03', '40001', '40P01']);

/** Nothing was saved, and perhaps only one of the saves is at fault, or should wait longer on its own. */
function shouldRetryAlone(error: unknown, saves: number): boolean {
  if (!(error instanceof DatabaseUnavailable)) return saves > 1;
  return !error.uncertain && undone.has((error.cause as { code?: string } | undefined)?.code ?? '');
}
