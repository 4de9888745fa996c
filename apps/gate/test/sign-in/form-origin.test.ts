import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';

// A form that is kept is sent again in the name of the person who signs in (CSRF): only one that the browser says is ours.

let gate: TestGate;

beforeAll(async () => {
  gate = await startGate({ providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }] });
});

afterAll(() => gate?.[Symbol.asyncDispose]());

const wayOf = async (headers: Record<string, string>) => {
  const body = new URLSearchParams({ a: 'b' });
  const answer = await gate.fetch('/save', { method: 'POST', body, headers: { accept: 'text/html', ...headers } });
  return answer.headers.get('location') ?? '';
};

test('a form is kept when the browser says that it comes from here, and not when it says nothing', async () => {
  expect(await wayOf({ 'sec-fetch-site': 'same-origin' })).toContain('resume');
  expect(await wayOf({ origin: gate.origin })).toContain('resume');
  expect(await wayOf({})).not.toContain('resume');
});
