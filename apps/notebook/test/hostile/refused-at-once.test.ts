import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp({});
});
afterAll(() => app.close());

/** How many turns of the event loop passed between the first answer and the last. */
async function turnsBetweenAnswers(count: number, ask: () => Promise<{ statusCode: number }>) {
  let turn = 0;
  const turns = new Set<number>();
  const statuses = new Map<number, number>();
  const counter = setInterval(() => (turn += 1), 1);
  const askOne = async () => {
    const { statusCode } = await ask();
    turns.add(turn);
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: count }, askOne));
  clearInterval(counter);
  return { turns: turns.size, statuses: [...statuses.keys()].toSorted() };
}

describe('requests that arrive together and are refused', () => {
  it.each([
    ['because another site sent them', 403, 'POST', '/api/notebooks'],
    ['because nobody can read their path', 404, 'GET', '/%zz'],
  ] as const)('%s are answered over several turns', async (_, status, method, url) => {
    const headers = { cookie: 'a=b', origin: 'https://elsewhere.example' };
    const ask = () => app.server.inject({ method, url, headers, remoteAddress: '203.0.113.1' });
    await ask();
    const { turns, statuses } = await turnsBetweenAnswers(500, ask);
    expect(statuses).toEqual([status]);
    expect(turns).toBeGreaterThan(2);
  });
});
