import type { Random } from '../world/shape.ts';
import { openTarget } from '../world/target.ts';

/** What the benches need to know of a world. */
export interface Grown {
  readonly databaseUrl: string;
  readonly notebooks: number;
  /** Views that everybody with the link may read. */
  readonly views: readonly string[];
  /** The number in a public notebook's title, which occurs nowhere else. */
  readonly rareWord: string;
}

export async function lookAt(databaseUrl: string): Promise<Grown> {
  const target = await openTarget(databaseUrl);
  try {
    // Ordered by a random id, so not in the order of the rows on disk.
    const readable = await target.rows(
      `SELECT slug, title, visibility FROM notebooks WHERE visibility <> 'private' AND password_hash IS NULL
        AND burn_after_read = false AND expires_at IS NULL ORDER BY id`,
    );
    const [counted] = await target.rows('SELECT count(*) AS count FROM notebooks');
    const found = readable.find(({ visibility, title }) => visibility === 'public' && / \d{3,}$/.test(String(title)));
    return {
      databaseUrl,
      notebooks: Number(counted!.count),
      views: readable.map(({ slug }) => `/n/${slug}`),
      rareWord: String(found?.title).split(' ').at(-1)!,
    };
  } finally {
    await target.release();
  }
}

/** How many answers a world is asked for: as many as a run of some seconds takes. */
const draws = 200_000;

/** Skewed like the most-read notebooks of a site: the n-th is read 1/n as often as the first. */
export function skewed(paths: readonly string[], random: Random): string[] {
  const sums: number[] = [];
  let sum = 0;
  for (let at = 0; at < paths.length; at++) {
    sum += 1 / (at + 1);
    sums.push(sum);
  }
  return Array.from({ length: draws }, () => {
    const wanted = random() * sum;
    let [low, high] = [0, paths.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return paths[low]!;
  });
}

export function evenly(paths: readonly string[], random: Random): string[] {
  return Array.from({ length: draws }, () => paths[Math.floor(random() * paths.length)]!);
}
