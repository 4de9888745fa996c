import { ask } from './ask.ts';

/** A hostile client: where it is, and until when it may go on. */
export interface Hostile {
  readonly port: number;
  readonly from: string;
  readonly signal: AbortSignal;
}

export interface Attack {
  readonly name: string;
  run(hostile: Hostile): Promise<void>;
}

export const mebibyte = 1_048_576;

export interface Made {
  readonly slug: string;
  readonly token: string;
  readonly pages: readonly string[];
}

export async function create(hostile: Hostile, body: object): Promise<Made | undefined> {
  const { port, from, signal } = hostile;
  const answer = await ask(port, { method: 'POST', path: '/api/notebooks', from, signal, body: JSON.stringify(body) });
  if (answer.status !== 201) return undefined;
  const { notebook, editToken } = JSON.parse(answer.body);
  return { slug: notebook.slug, token: editToken, pages: notebook.pages.map(({ id }: { id: string }) => id) };
}

/** Again and again, so many at once, until the time is over. */
export async function flood({ signal }: Hostile, atOnce: number, act: (round: number) => Promise<unknown>): Promise<void> {
  let round = 0;
  const one = async () => {
    while (!signal.aborted) {
      const started = performance.now();
      await act(round++);
      // What is refused at once is not asked more than a hundred times a second by each.
      const rest = 10 - (performance.now() - started);
      if (rest > 0) await new Promise(resolve => setTimeout(resolve, rest));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

export function times(count: number, make: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function randomWords(chars: number): string {
  let text = '';
  while (text.length < chars) text += `${Math.random().toString(36).slice(2, 9)} `;
  return text;
}

export const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

/** Another address of the same network: `from` with another end. */
export const beside = (from: string, end: number): string => from.replace(/\d+$/, String(end));

/** As many comments as a notebook may have, from enough addresses for their limits. */
export async function fillWithComments({ port, from, signal }: Hostile, { slug }: Made, words: string): Promise<void> {
  const path = `/api/notebooks/${slug}/comments`;
  const body = JSON.stringify({ body: words });
  for (let index = 0; index < 500 && !signal.aborted; index += 10) {
    const some = times(10, () => beside(from, 100 + Math.floor(index / 20)));
    await Promise.all(some.map(address => ask(port, { method: 'POST', path, from: address, signal, body })));
  }
}

/** So long, or until the time is over. */
export function rest(millis: number, signal: AbortSignal): Promise<void> {
  return Promise.race([new Promise<void>(resolve => setTimeout(resolve, millis)), over(signal)]);
}

export function over(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));
}
