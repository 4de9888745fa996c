import { FindFault, findMatches, type Match, type Query, replaceMatches, replacementOf } from './find-matches.ts';

export type FindRequest = { readonly id: number; readonly text: string; readonly query: Query } & (
  | { readonly kind: 'find' }
  | { readonly kind: 'replace-all'; readonly words: string }
  | { readonly kind: 'replace'; readonly words: string; readonly match: Match }
);

/** `fault` is a sentence for the writer. */
export interface FindAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly fault?: string;
}

function answer(request: FindRequest): unknown {
  const { text, query } = request;
  if (request.kind === 'find') return findMatches(text, query);
  if (request.kind === 'replace-all') return replaceMatches(text, query, request.words);
  return replacementOf(text, query, request.words, request.match);
}

addEventListener('message', ({ data }: MessageEvent<FindRequest>) => {
  try {
    postMessage({ id: data.id, result: answer(data) } satisfies FindAnswer);
  } catch (problem) {
    if (!(problem instanceof FindFault)) throw problem;
    postMessage({ id: data.id, fault: problem.message } satisfies FindAnswer);
  }
});
