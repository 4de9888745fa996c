import { DatabaseUnavailable } from '../database-unavailable.ts';

/** What is looked at of a save while it waits for its turn. */
export interface Gathered {
  readonly notebook: string;
  readonly text: string | null;
  readonly slotName: string | null;
  readonly slotKey: string | null;
}

export interface PlacedAnswer {
  /** Which of the saves it answers, from 1. */
  readonly place: number;
  readonly kind: string;
}

/**
 * Runs saves in one statement. `waits` is false: what another transaction holds is answered `busy`, with its rate slot counted, and a slot
 * that is held ends the statement (55P03), with nothing counted.
 */
export type Run<Save, Answer> = (saves: readonly Save[], waits: boolean) => Promise<readonly Answer[]>;

export interface GatherOptions {
  readonly maxSaves: number;
  /** Of the texts of one statement together; a longer one goes alone. */
  readonly maxChars: number;
  /** So many statements at once; while all are under way, saves gather. */
  readonly maxUnderWay: number;
  /** What waits is spread over the statements that are free, in groups no smaller than this: one group works while another waits for the disk. */
  readonly share: number;
}

const usual: GatherOptions = { maxSaves: 16, maxChars: 256 * 1024, maxUnderWay: 2, share: 8 };

interface Waiting<Save, Answer> {
  readonly save: Save;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Saves that arrive while others are under way go to the server together: one round trip, one commit, and each has an answer of its own.
 * No save waits for another's notebook or slot: what somebody else holds is tried again on its own, waiting. The saves of
 * one notebook are not under way in two statements, because the second would only wait for the first.
 */
export function gatherSaves<Save extends Gathered, Answer extends PlacedAnswer>(
  run: Run<Save, Answer>,
  { maxSaves, maxChars, maxUnderWay, share }: GatherOptions = usual,
): (save: Save) => Promise<Answer> {
  let waiting: Waiting<Save, Answer>[] = [];
  const notebooks = new Set<string>();
  let underWay = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || underWay >= maxUnderWay) return;
    scheduled = true;
    // What arrives in the same turn of the event loop goes along.
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
      alone = answerAll(group, await run(saves(group), false));
    } catch (error) {
      if (mayGoAlone(error, group.length)) alone = group;
      else for (const { reject } of group) reject(error);
      counted = false;
    }
    underWay--;
    for (const { save } of group) notebooks.delete(save.notebook);
    for (const each of alone) void sendAlone(each, counted);
    schedule();
  }

  /** One at a time, so that what is wrong with one is its own. A slot that was counted is not counted again. */
  async function sendAlone(one: Waiting<Save, Answer>, counted: boolean): Promise<void> {
    try {
      const save = counted ? { ...one.save, slotName: null, slotKey: null } : one.save;
      const [answer] = await run([save], true);
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

/** @returns those that found their notebook held by somebody else */
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

/** Slots are taken in one order everywhere, so that no two transactions wait for each other's. */
function bySlot({ save: a }: { readonly save: Gathered }, { save: b }: { readonly save: Gathered }): number {
  return compare(a.slotName ?? '', b.slotName ?? '') || compare(a.slotKey ?? '', b.slotKey ?? '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

// A lock that nobody gave back, a serialization failure, a deadlock: of one of them, and all were rolled back.
const undone = new Set(['55P03', '40001', '40P01']);

/** Nothing was saved, and perhaps only one of them is to blame, or waits longer alone. */
function mayGoAlone(error: unknown, saves: number): boolean {
  if (!(error instanceof DatabaseUnavailable)) return saves > 1;
  return !error.uncertain && undone.has((error.cause as { code?: string } | undefined)?.code ?? '');
}
