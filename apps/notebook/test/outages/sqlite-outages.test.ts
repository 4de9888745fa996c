import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import { appendEnding } from '../../src/store/upkeep/text-ending-file.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { type Save, type SavedPage, startWriting } from './writers.ts';

vi.setConfig({ testTimeout: 60_000 });

const folders: string[] = [];
const closing: (() => Promise<void> | void)[] = [];

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-outage-'));
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(path: string): Promise<NotebookApp> {
  const engine = { name: 'SQLite', createDatabase: async () => ({ url: `sqlite:${path}`, remove: () => {} }) } as const;
  const app = await startNotebookApp({ engine, env: { LOG_LEVEL: 'silent' } });
  closing.push(() => app.close());
  return app;
}

const savingTo =
  (app: NotebookApp): Save =>
  async ({ slug, pageId, editToken }, markdown, ifMatch) => {
    const { statusCode, headers, body } = await app.ask('PATCH', `/api/notebooks/${slug}/pages/${pageId}`, {
      token: editToken,
      body: { markdown },
      headers: { 'if-match': `"${ifMatch}"` },
    });
    return { status: statusCode, retryAfter: headers['retry-after']?.toString(), body };
  };

it('a text ending that cannot be noted keeps no service from starting, and is noted at the next start', async () => {
  const path = join(makeFolder(), 'octavo.db');
  const url = `sqlite:${path}`;
  const first = await start(path);
  const { pages } = await first.create({ pages: [{ markdown: '# One' }] });
  await closing.pop()!();
  const ending = { id: pages[0]!.id, revision: 1 };
  for (const at of [1, 2]) appendEnding(path, { ...ending, at });
  const store = createStore(url);
  const full = () => Promise.reject(new Error('database or disk is full'));
  const engine = { name: 'SQLite', createDatabase: async () => ({ url, remove: () => {} }) } as const;
  const overrides = { store: { ...store, noteTextEnding: full } };
  const second = await startNotebookApp({ engine, env: { LOG_LEVEL: 'silent' }, overrides });
  closing.push(() => second.close());
  expect((await second.ask('GET', '/readyz')).statusCode).toBe(200);
  expect(await second.parts.store.listUnsafeTexts()).toEqual([]);
  await closing.pop()!();
  const third = await start(path);
  expect(await third.parts.store.listUnsafeTexts()).toEqual([ending]);
});

/** A disk of its own, small enough to be filled; undefined where this account may not mount one. */
function mountSmallDisk(): string | undefined {
  const folder = makeFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'none', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  closing.push(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

/** Takes the rest of the disk. */
function fill(folder: string): string {
  const filler = join(folder, 'filler');
  for (let size = 1 << 22; size >= 512; ) {
    try {
      writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
    } catch {
      size /= 2;
    }
  }
  return filler;
}

describe('the disk is full', () => {
  it('saves are answered with 503 and readers are served, readyz says so, nothing acknowledged is lost, and room heals it', async ({
    skip,
  }) => {
    const disk = mountSmallDisk();
    if (!disk) return skip('this account may not mount a small disk');
    const app = await start(join(disk, 'octavo.db'));
    const pages: SavedPage[] = [];
    for (let number = 0; number < 4; number++) {
      const { slug, editToken, pages: made } = await app.create({ title: 'Kept' });
      pages.push({ slug, editToken, pageId: made[0]!.id });
    }
    expect((await app.ask('GET', '/readyz')).statusCode).toBe(200);
    const writing = startWriting(pages, savingTo(app), 50_000);
    closing.push(() => writing.stop());
    await writing.eachSavesAgain();
    const filler = fill(disk);
    await expect.poll(() => writing.statuses.get(503) ?? 0, { timeout: 30_000 }).toBeGreaterThan(20);
    // A proof that all was well counts for a moment.
    await expect.poll(async () => (await app.ask('GET', '/readyz')).statusCode).toBe(503);
    expect((await app.ask('GET', '/healthz')).statusCode).toBe(200);
    expect((await app.ask('GET', `/n/${pages[0]!.slug}`)).statusCode).toBe(200);
    expect((await app.ask('POST', '/api/notebooks', { body: { pages: [{ markdown: 'x'.repeat(900_000) }] } })).statusCode).toBe(
      503,
    );
    rmSync(filler);
    await writing.eachSavesAgain();
    await writing.stop();
    expect(writing.wrong).toEqual([]);
    await expect.poll(async () => (await app.ask('GET', '/readyz')).statusCode, { timeout: 20_000 }).toBe(200);
    for (const { slug, pageId, editToken } of pages) {
      const page = (await app.ask('GET', `/api/notebooks/${slug}/pages/${pageId}`, { token: editToken })).json();
      expect(page).toMatchObject(writing.acknowledged.get(pageId)!);
    }
    const file = new DatabaseSync(join(disk, 'octavo.db'), { readOnly: true });
    expect({ ...file.prepare('PRAGMA integrity_check').get() }).toEqual({ integrity_check: 'ok' });
    file.close();
  });
});

describe('the size of the file is limited', () => {
  it('the service lives, refuses with 503 and is not ready, as with a full disk', async () => {
    const folder = makeFolder();
    const program = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));
    const child = spawn('sh', ['-c', 'ulimit -f 4000; exec "$0" "$1"', process.execPath, program], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        RATE_LIMITS: 'off',
        JOBS: 'off',
        LOG_LEVEL: 'silent',
        DATABASE_URL: `sqlite:${join(folder, 'octavo.db')}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    closing.push(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', chunk => {
      output += chunk;
    });
    await expect.poll(() => output, { timeout: 30_000 }).toContain('listening on');
    const origin = /listening on (\S+)\)/.exec(output)![1]!;
    const body = JSON.stringify({ pages: [{ markdown: 'x'.repeat(900_000) }] });
    const create = () =>
      fetch(`${origin}/api/notebooks`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    const statuses: number[] = [];
    while (statuses.length < 20 && !statuses.includes(503)) statuses.push((await create()).status);
    expect(new Set(statuses)).toEqual(new Set([201, 503]));
    expect((await fetch(`${origin}/readyz`)).status).toBe(503);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect(child.exitCode).toBe(null);
  });
});

describe('another process holds the database', () => {
  it('writers get 503 after a while, readers and the process itself never wait, and it goes on afterwards', async () => {
    const path = join(makeFolder(), 'octavo.db');
    const app = await start(path);
    const { slug, editToken, pages } = await app.create({ pages: [{ markdown: 'before' }] });
    expect((await app.ask('GET', `/n/${slug}`)).statusCode).toBe(200);
    const holder = new DatabaseSync(path, { timeout: 10_000 });
    closing.push(() => holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const save = () =>
      app.ask('PATCH', `/api/notebooks/${slug}/pages/${pages[0]!.id}`, { token: editToken, body: { markdown: 'after' } });
    let answered = false;
    const waiting = save().finally(() => {
      answered = true;
    });
    let looks = 0;
    for (; !answered; looks++) {
      expect((await app.ask('GET', `/n/${slug}`)).statusCode).toBe(200);
      await new Promise(resolve => setTimeout(resolve, 25));
    }
    const refused = await waiting;
    expect([refused.statusCode, refused.json().code, refused.headers['retry-after']]).toEqual([503, 'unavailable', '5']);
    // SQLite's own wait would have stopped the whole process for as long as the writer waited: one look before it, and one after.
    expect(looks).toBeGreaterThan(5);
    expect((await app.ask('GET', '/readyz')).statusCode).toBe(503);
    holder.exec('ROLLBACK');
    expect((await save()).statusCode).toBe(200);
    await expect.poll(async () => (await app.ask('GET', '/readyz')).statusCode).toBe(200);
  });
});

describe('the file itself', () => {
  it('is read by nobody else, nor is its folder, nor are the files beside it, however open the process makes files', async () => {
    const before = process.umask(0o000);
    closing.push(() => void process.umask(before));
    const folder = join(makeFolder(), 'made', 'here');
    const app = await start(join(folder, 'octavo.db'));
    await app.create();
    const modeOf = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
    expect(['', '../../made', 'octavo.db', 'octavo.db-wal', 'octavo.db-shm'].map(modeOf)).toEqual([
      '700',
      '700',
      '600',
      '600',
      '600',
    ]);
  });

  it('of an older version is closed to others when it is opened', async () => {
    const path = join(makeFolder(), 'octavo.db');
    await createStore(`sqlite:${path}`).close();
    chmodSync(path, 0o644);
    await createStore(`sqlite:${path}`).close();
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  });

  it('that cannot be opened is named with the reason', () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'folder.db'));
    writeFileSync(join(folder, 'letter.db'), 'Dear reader, this is no database. '.repeat(100));
    writeFileSync(join(folder, 'plain'), '');
    const why = (name: string) => {
      try {
        createStore(`sqlite:${join(folder, name)}`);
      } catch (error) {
        return (error as Error).message;
      }
    };
    const start = (name: string) => `The database file ${join(folder, name)} cannot be opened: `;
    expect(why('folder.db')).toBe(`${start('folder.db')}it is a folder.`);
    expect(why('letter.db')).toBe(`${start('letter.db')}it is not a SQLite database.`);
    expect(why('plain/octavo.db')).toBe(`${start('plain/octavo.db')}${join(folder, 'plain')} is not a folder.`);
  });

  it('that was damaged while it is in use is a 503 and no 500', async () => {
    const path = join(makeFolder(), 'octavo.db');
    const app = await start(path);
    const { slug } = await app.create();
    const others = new DatabaseSync(path, { timeout: 10_000 });
    closing.push(() => others.close());
    others.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    writeFileSync(path, Buffer.alloc(statSync(path).size, 0x5a), { flag: 'r+' });
    const answer = await app.ask('GET', `/n/${slug}`);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
  });
});
