/** A generator of numbers in [0, 1) that repeats itself for the same seed, so that a failure can be found again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
type Mutation = (text: string, random: Random) => string;

const pick = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
const place = (random: Random, text: string): number => Math.floor(random() * (text.length + 1));

const oddities = [
  '.',
  '=',
  '+',
  '/',
  '-',
  '_',
  ' ',
  '\n',
  '\0',
  '%00',
  '%',
  '&',
  '#',
  '\u{fffd}',
  'é',
  '😀',
  '..',
  'A',
  '"',
  '{',
  '}',
  '[]',
  'null',
  '__proto__',
  'state=',
  'code=x&',
];

const anywhere: Mutation[] = [
  (text, random) => splice(text, place(random, text), 0, pick(random, oddities)),
  (text, random) => splice(text, place(random, text), 1 + Math.floor(random() * 4), ''),
  (text, random) => splice(text, place(random, text), 1, pick(random, oddities)),
  (text, random) => text.slice(0, place(random, text)),
  (text, random) => text.slice(place(random, text)),
  (text, random) => text + text.slice(place(random, text)),
  (text, random) => swapped(text, place(random, text)),
  (text, random) => flipped(text, place(random, text), random),
];

/** A text that is a little different, somewhere. */
export const mutateText: Mutation = (text, random) => {
  let changed = text;
  for (let times = 1 + Math.floor(random() * 3); times > 0 || changed === text; times -= 1)
    changed = pick(random, anywhere)(changed, random);
  return changed;
};

/** A token that is a little different: in its letters, in its parts, or in the JSON inside a part. */
export const mutateToken: Mutation = (token, random) => {
  const parts = token.split('.');
  const at = Math.floor(random() * parts.length);
  const kind = random();
  let changed = token;
  if (kind < 0.4) changed = mutateText(token, random);
  else if (kind < 0.5) changed = [...parts.slice(at), ...parts.slice(0, at)].join('.');
  else {
    parts[at] = Buffer.from(mutateText(Buffer.from(parts[at]!, 'base64url').toString('latin1'), random), 'latin1').toString(
      'base64url',
    );
    changed = parts.join('.');
  }
  return changed === token ? mutateToken(token, random) : changed;
};

function splice(text: string, at: number, gone: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + gone);
}

function swapped(text: string, at: number): string {
  return text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2);
}

function flipped(text: string, at: number, random: Random): string {
  const code = text.charCodeAt(at) ^ (1 << Math.floor(random() * 7));
  return Number.isNaN(text.charCodeAt(at)) ? text : splice(text, at, 1, String.fromCharCode(code));
}
