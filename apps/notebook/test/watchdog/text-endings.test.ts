import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { whenWritten } from '../../../../tools/when-written.ts';
import { type Database, postgres, sqlite } from '../support/engines.ts';
import { createThrough, type Made } from '../support/service-process.ts';
import { hangsOn } from './hangs-on.ts';

const program = fileURLToPath(new URL('./hanging-process.ts', import.meta.url));
const never = 600_000;
const started: ChildProcess[] = [];
const databases: Database[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  for (const database of databases) database.remove();
});

/** The built service with a text that hangs it, under the real watchdog. */
async function start(database: Database, { silentMillis = 2_000, stopMillis = never } = {}) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, String(silentMillis), String(stopMillis)], {
    env: { PATH, PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'warn', JOBS: 'off', DATABASE_URL: database.url },
  });
  started.push(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', chunk => (out += chunk));
  child.stderr.on('data', chunk => (err += chunk));
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const told = /listening on (http:\/\/[\d.:]+)/;
  if (!(await whenWritten(child, () => told.test(out)))) throw new Error(`the service did not start:\n${out}${err}`);
  const origin = told.exec(out)![1]!;
  return {
    child,
    ended,
    origin,
    output: () => out + err,
    ask: (path: string) => fetch(origin + path),
    text: async (path: string) => (await fetch(origin + path)).text(),
    lastLine: () => JSON.parse(err.trim().split('\n').at(-1)!),
  };
}

const find = ({ slug }: Made) => `/n/${slug}/find?q=words`;

/** Asks what this service never comes back from, and waits for its end. */
async function endOver(made: Made, service: Awaited<ReturnType<typeof start>>): Promise<void> {
  service.ask(find(made)).catch(() => {});
  expect(await service.ended).toEqual([null, 'SIGKILL']);
  expect(service.lastLine()).toMatchObject({ page: { id: made.pageId, revision: 1 } });
  expect(service.output()).not.toContain(hangsOn);
  expect(service.output()).not.toContain(made.slug);
}

/** Asks the same of a service that waits for longer, tells it to stop meanwhile, and waits for its end. */
async function stopOver(made: Made, service: Awaited<ReturnType<typeof start>>): Promise<void> {
  service.ask(find(made)).catch(() => {});
  // A signal that came before the question would let the service stop its own way.
  while (!service.output().includes('the thread hangs')) await once(service.child.stdout, 'data');
  service.child.kill('SIGTERM');
  expect(await service.ended).toEqual([null, 'SIGKILL']);
}

// At once: mostly they wait. On one engine the service is silent twice, on the other it is told to stop the second time.
describe.concurrent.each([
  { engine: sqlite, second: {}, end: endOver, how: 'silent' },
  { engine: postgres, second: { silentMillis: never, stopMillis: 6_000 }, end: stopOver, how: 'silent when it was told to stop' },
])('a text that ended the process, and once more $how, on $engine.name', ({ engine, second, end }) => {
  test('once is not enough; twice, it is shown plain everywhere until it changes, and the service lives', async () => {
    const database = await engine.createDatabase();
    databases.push(database);
    const first = await start(database);
    const made = await createThrough(first.origin, {
      pages: [{ markdown: `# Words\n\n**words** ${hangsOn}` }, { markdown: '**other** words' }],
    });
    await endOver(made, first);
    const again = await start(database, second);
    // Not its view: the page that was kept finished would be shown for good, and nobody would look at the text again.
    expect(await again.text(`/n/${made.slug}/print`)).toContain('<strong>words</strong>');
    await end(made, again);

    const third = await start(database);
    const notice = 'This page is shown as plain text';
    const found = await third.text(find(made));
    // The other page is found; of this one nothing is read.
    expect(found).toContain('other');
    expect(found).not.toContain(hangsOn);
    const view = await third.text(`/n/${made.slug}`);
    expect(view).toContain(notice);
    expect(view).toContain(`**words** ${hangsOn}`);
    const print = await third.text(`/n/${made.slug}/print`);
    expect(print).toContain(notice);
    expect(print).toContain('<strong>other</strong>');
    expect(await third.text(`/n/${made.slug}.md`)).toContain(`**words** ${hangsOn}`);
    expect(await third.text(`/api/notebooks/${made.slug}`)).toContain(hangsOn);

    const saved = await fetch(`${third.origin}/api/notebooks/${made.slug}/pages/${made.pageId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-edit-token': made.editToken },
      body: JSON.stringify({ markdown: '**words** that are harmless' }),
    });
    expect(saved.status).toBe(200);
    expect(await third.text(find(made))).toContain('harmless');
    expect(await third.text(`/n/${made.slug}`)).not.toContain(notice);
    third.child.kill('SIGTERM');
    expect(await third.ended).toEqual([0, null]);
  }, 120_000);
});
