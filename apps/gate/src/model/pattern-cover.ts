/** Patterns that are hard to compare are few and odd: beyond this number of steps the answer is no, and the rule is accepted as written. */
const maxSteps = 10_000;

/** Where a path may stand in a pattern, in ascending order: at a `**` there are several ways on. */
type Places = readonly number[];

/**
 * Whether every path that fits `its` also fits `mine`, both given as segments. Walks through both at once with every segment that
 * makes a difference, looking for a path that fits `its` alone.
 */
export function coversPattern(mine: readonly string[], its: readonly string[]): boolean {
  let at = 0;
  // Most pairs in a long configuration differ in their plain beginnings.
  for (; isPlain(mine[at]) && isPlain(its[at]); at += 1) {
    if (mine[at] !== its[at]) return false;
    if (mine[at] === undefined) return true;
  }
  return coversWild(mine.slice(at), its.slice(at));
}

function coversWild(mine: readonly string[], its: readonly string[]): boolean {
  // Here `*` stands for all segments that neither pattern names.
  const kinds = new Set([...mine, ...its, '*'].filter(segment => segment !== '**'));
  const seen = new Set<string>();
  const waiting: [Places, Places][] = [[withSkips([0], mine), withSkips([0], its)]];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    const [here, there] = state;
    const key = `${here}|${there}`;
    if (there.length === 0 || seen.has(key)) continue;
    if (there.includes(its.length) && !here.includes(mine.length)) return false;
    if (seen.size >= maxSteps) return false;
    seen.add(key);
    for (const kind of kinds) waiting.push([step(here, mine, kind), step(there, its, kind)]);
  }
  return true;
}

function isPlain(segment: string | undefined): boolean {
  return segment !== '*' && segment !== '**';
}

function step(places: Places, pattern: readonly string[], kind: string): Places {
  const next = places.flatMap(place => {
    const segment = pattern[place];
    if (segment === '**') return [place];
    return segment === '*' || segment === kind ? [place + 1] : [];
  });
  return withSkips(next, pattern);
}

/** A `**` may match no segment. */
function withSkips(places: Places, pattern: readonly string[]): Places {
  const all = new Set(places);
  for (const place of all) if (pattern[place] === '**') all.add(place + 1);
  return [...all].sort((one, other) => one - other);
}
