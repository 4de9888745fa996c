/**
 * What a world is made of. Shares and sizes are assumptions, stated here: most notebooks are one short page, a few are long. Text
 * sizes are log-normal (half of them below 1.5 kB, the mean 3 kB, one in a hundred above 25 kB).
 */
const medianBytes = 1_500;
const spread = 1.25;
const mostBytes = 100_000;

/** Notebooks that are actually written, through the API; all others are their copies. */
export const mostTemplates = 200;

const pageCounts = [
  [0.7, 1],
  [0.15, 2],
  [0.08, 3],
  [0.04, 5],
  [0.03, 10],
] as const;
const visibilities = [
  [0.2, 'public'],
  [0.75, 'unlisted'],
  [0.05, 'private'],
] as const;
const earlierVersions = [
  [0.6, 0],
  [0.15, 1],
  [0.15, 3],
  [0.1, 10],
] as const;
const proofs = [
  [0.95, 'none'],
  [0.03, 'password'],
  [0.02, 'once'],
] as const;
const comments = [
  [0.95, 0],
  [0.04, 2],
  [0.01, 20],
] as const;
const expiries = [
  [0.6, 'never'],
  [0.3, 'later'],
  [0.1, 'long past'],
] as const;

export type Random = () => number;

/** Lehmer's generator: the same world in every run. */
export function randomFrom(start: number): Random {
  let seed = start;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}

function pick<Value>(random: Random, shares: readonly (readonly [share: number, value: Value])[]): Value {
  let left = random();
  for (const [share, value] of shares) {
    left -= share;
    if (left < 0) return value;
  }
  return shares[0]![1];
}

export interface TemplateShape {
  readonly visibility: 'public' | 'unlisted' | 'private';
  readonly proof: 'none' | 'password' | 'once';
  /** One text per page. */
  readonly texts: readonly string[];
  /** Earlier versions of the first page. */
  readonly earlierVersions: number;
  readonly comments: number;
}

/** With few templates, the shares are as close to the table's as possible: each column assigns evenly spaced values in a shuffled order. */
export function templateShapes(count: number): TemplateShape[] {
  const random = randomFrom(17);
  const columns = [0, 1, 2, 3, 4].map(() => shuffled(random, count));
  return Array.from({ length: count }, (_, number) => {
    const at = (column: number) => () => columns[column]![number]!;
    const visibility = pick(at(0), visibilities);
    return {
      visibility,
      // A public notebook with a password would be found by nobody.
      proof: visibility === 'unlisted' ? pick(at(1), proofs) : 'none',
      texts: Array.from({ length: pick(at(2), pageCounts) }, () => textOf(random)),
      earlierVersions: pick(at(3), earlierVersions),
      comments: pick(at(4), comments),
    };
  });
}

/** The middles of `count` equal parts of 0 to 1, shuffled. */
function shuffled(random: Random, count: number): number[] {
  const places = Array.from({ length: count }, (_, at) => ({ place: (at + 0.5) / count, order: random() }));
  return places.sort((one, other) => one.order - other.order).map(({ place }) => place);
}

export const expiryOf = (random: Random) => pick(random, expiries);

const syllables = 'la mo re ti su ka ne vo di pa lu se no ri ta me gi fo be wo'.split(' ');

/** One of 8,000 words; the first are the most common, as in a language. */
export function wordOf(random: Random): string {
  let number = Math.floor(8_000 * random() * random() * random());
  let word = syllables[number % 20]!;
  while (number >= 20) {
    number = Math.floor(number / 20);
    word += syllables[number % 20];
  }
  return word;
}

function textOf(random: Random): string {
  const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const bytes = Math.min(mostBytes, Math.max(40, medianBytes * Math.exp(spread * normal)));
  const words = (count: number) => Array.from({ length: count }, () => wordOf(random)).join(' ');
  let text = `# ${words(3)}\n\n`;
  while (text.length < bytes) {
    const kind = random();
    if (kind < 0.7) text += `${words(40)}, *${words(2)}* and [${words(1)}](https://example.org/${words(1)}).\n\n`;
    else if (kind < 0.8) text += `## ${words(3)}\n\n`;
    else if (kind < 0.9) text += `- ${words(6)}\n- ${words(8)}\n- [ ] ${words(5)}\n\n`;
    else if (kind < 0.95) text += `| ${words(1)} | ${words(1)} |\n|---|---:|\n| ${words(2)} | 17 |\n| ${words(3)} | 4 |\n\n`;
    else text += `\`\`\`js\nconst ${words(1)} = '${words(2)}';\n\`\`\`\n\n`;
  }
  return text.slice(0, bytes);
}
