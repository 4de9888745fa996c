import { setImmediate } from 'node:timers/promises';
import type { Notebook } from '../../model/notebook.ts';
import { foldForSearch, holdsWord, readSearchWords, type SearchWord } from '../../model/search-text.ts';
import type { Engine } from '../engine.ts';
import { type JoinedPageHead, splitRow } from '../notebooks/listed-rows.ts';
import type { PublicSearch, SearchHit } from '../notebooks/public-records.ts';
import type { Query } from '../statement.ts';
import type { SearchCandidate, SearchQueries } from './search-query.ts';

/** Ranking covers only this many of the newest pages: the most common word would otherwise rank them all. */
const ranked = 200;
const maxCandidates = 1_200;
/** Texts fetched per query. */
const chunk = 25;

export function createSearchPublic(engine: Engine): (search: PublicSearch) => Promise<SearchHit[]> {
  const { queries } = engine.search;
  const read = <Row>(asked: Query) => engine.search.read<Row>(asked);
  return async search => {
    const words = readSearchWords(search.query);
    return words.length === 0 ? [] : collect(search, words, queries, read);
  };
}

type Read = <Row>(asked: Query) => Promise<Row[]>;

async function collect(
  { limit, offset, now }: PublicSearch,
  words: readonly SearchWord[],
  queries: SearchQueries,
  read: Read,
): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  let passed = 0;
  for await (const candidates of inOrder(words, queries, read, now)) {
    // When the index decides alone, texts that the offset skips need not be read.
    if (queries.decides(words) && passed + candidates.length <= offset) {
      passed += candidates.length;
      continue;
    }
    for (const hit of await readTexts(candidates, queries, read, now)) {
      if (!queries.decides(words) && !(await holdsAll(hit, words))) continue;
      passed += 1;
      if (passed > offset) hits.push(hit);
      if (hits.length === limit) return hits;
    }
  }
  return hits;
}

/** The candidates in result order, a chunk at a time. */
async function* inOrder(words: readonly SearchWord[], queries: SearchQueries, read: Read, now: number) {
  for (let offset = 0; offset < maxCandidates; offset += ranked) {
    const found = await read<SearchCandidate>(queries.candidates(words, { limit: ranked, offset, now }));
    const batch = offset === 0 ? rank(found, words) : found;
    for (let at = 0; at < batch.length; at += chunk) yield batch.slice(at, at + chunk);
    if (found.length < ranked) return;
  }
}

/** Pages whose titles contain every word come before pages that only mention them; otherwise the newest is first. */
function rank(candidates: readonly SearchCandidate[], words: readonly SearchWord[]): SearchCandidate[] {
  const titled = new Set(candidates.filter(candidate => isTitled(candidate, words)));
  return candidates.toSorted(
    (one, other) =>
      Number(titled.has(other)) - Number(titled.has(one)) ||
      other.updatedAt - one.updatedAt ||
      (one.pageId < other.pageId ? -1 : 1),
  );
}

function isTitled({ notebookTitle, givenTitle, heading }: SearchCandidate, words: readonly SearchWord[]): boolean {
  const titles = foldForSearch(`${notebookTitle}\n${givenTitle || heading}`);
  return words.every(word => holdsWord(titles, word));
}

async function readTexts(candidates: readonly SearchCandidate[], queries: SearchQueries, read: Read, now: number) {
  const ids = candidates.map(({ pageId }) => pageId);
  const rows = await read<Notebook & JoinedPageHead & { text: string }>(queries.texts(ids, now));
  const hits = new Map(rows.map(({ text, ...row }) => [row.pageId, { ...splitRow(row), text }]));
  return ids.flatMap(id => hits.get(id) ?? []);
}

/**
 * Checks the same text as was indexed (search-index.ts), each in its own turn of the event loop. Short words have their own grams, which
 * decide.
 */
async function holdsAll({ notebook, page, text }: SearchHit, words: readonly SearchWord[]): Promise<boolean> {
  await setImmediate();
  const folded = foldForSearch(`${notebook.title}\n${page.givenTitle}\n${text}`);
  return words.every(word => word.whole || holdsWord(folded, word));
}
