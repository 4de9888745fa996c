import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { type SmallIdp, startSmallIdp } from '../support/small-idp.ts';

let [uni, lab]: SmallIdp[] = [];
let gate: TestGate;

beforeAll(async () => {
  [uni, lab] = await Promise.all([startSmallIdp(), startSmallIdp()]);
  gate = await startGate(
    {
      providers: [uni?.provider, { ...lab?.provider, id: 'lab', name: 'Laboratory' }],
      rules: [
        { paths: ['/board'], allow: { provider: 'uni', groups: ['board'] } },
        { paths: ['/lab'], allow: { provider: 'lab' } },
        { paths: ['/closed'], allow: 'nobody' },
      ],
    },
    { env: uni?.env ?? {} },
  );
});

afterAll(async () => {
  for (const one of [gate, lab, uni]) await one?.[Symbol.asyncDispose]();
});

const open = async (path: string, accept = 'text/html') => {
  const cookie = await sessionCookie(gate, uni?.identity, uni?.record);
  return gate.fetch(path, { headers: { accept, cookie } });
};
/** The paragraphs and links of a page, as text. */
const shown = async (answer: Response) =>
  [...(await answer.text()).matchAll(/<(?:p(?! class="site")|a)\b[^>]*>([^<]+)</g)].map(([, text]) => text);

test.each([
  [
    '/board',
    [
      'Your account doesn’t have access to this address.',
      'You are signed in as ada@example.org. Sign in with another account, or ask the site’s administrator for access.',
      'Sign in with another account',
      'Get help from University',
      'Sign out',
      'FORBIDDEN',
    ],
  ],
  [
    '/lab',
    [
      'To open this address, sign in with another provider.',
      'You are signed in as ada@example.org.',
      'Sign in with Laboratory',
      'Sign out',
      'FORBIDDEN',
    ],
  ],
  ['/closed', ['No one has access to this address.', 'Sign out', 'FORBIDDEN']],
  ['/no-rule', ['No one has access to this address.', 'Sign out', 'FORBIDDEN']],
])('%s says once that access is denied, and what to do', async (path, texts) => {
  const answer = await open(path);
  const found = await shown(answer);
  expect([answer.status, found.slice(0, -1)]).toEqual([403, texts.slice(0, -1)]);
  expect(found.at(-1)).toMatch(/^FORBIDDEN · [0-9a-f]{8}$/);
});

test('"Sign in with another account" leads back', async () => {
  const page = await (await open('/board')).text();
  expect(page).toContain('href="/gate/sign-in?another=1&amp;returnTo=%2Fboard"');
});

test('the log has the reference of the page, and nothing else of what the page says about the person', async () => {
  const before = gate.log.length;
  const reference = / · ([0-9a-f]{8})</.exec(await (await open('/board')).text())?.[1];
  const json = await (await open('/board', 'application/json')).json();
  const lines = gate.log.slice(before).filter(line => line.audit === 'refused');
  expect(lines.map(line => line.reference)).toEqual([reference, json.reference]);
  expect(reference).not.toBe(json.reference);
  expect(JSON.stringify(lines)).not.toContain('ada@example.org');
});

test('programs get the same words', async () => {
  const { message } = await (await open('/lab', 'application/json')).json();
  expect(message).toBe('To open this address, sign in with another provider. You are signed in as ada@example.org.');
});
