import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, sqlite } from './support/engines.ts';

let database: Database;
beforeEach(async () => {
  database = await sqlite.createDatabase();
});
afterEach(() => database.remove());

const importOf = (path: string) => JSON.stringify(new URL(`../src/${path}`, import.meta.url).href);

describe.skipIf(process.platform === 'linux' ? undefined : 'only Linux tells the priority of a thread')('a niced process', () => {
  it('renders, writes and searches in threads that step back no less than it does', () => {
    const program = `
      import { readdirSync, readFileSync } from 'node:fs';
      import { getPriority } from 'node:os';
      import { createRenderer } from ${importOf('markdown/renderer.ts')};
      import { createStore } from ${importOf('store/open-store.ts')};
      const renderer = createRenderer({ threads: 1 });
      const store = createStore(${JSON.stringify(database.url)});
      await store.migrate();
      const { html } = await renderer.render('*word*');
      const purged = await store.purgeNotebooks({ expiredBefore: 0, openedBefore: 0, reportedBefore: 0 }, 0, 1);
      const found = await store.searchPublic({ query: 'word', limit: 1, offset: 0, now: 0 });
      const tasks = readdirSync('/proc/self/task').map(id => readFileSync('/proc/self/task/' + id + '/stat', 'utf8'));
      // Behind the name in parentheses, proc_pid_stat(5).
      const least = Math.min(...tasks.map(stat => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])));
      console.log(JSON.stringify({ html, purged, found, stepsBack: least - getPriority() }));
      await Promise.all([renderer.close(), store.close()]);
    `;
    // More than any of its threads asks for, and no more than that: a busy machine leaves it little.
    const niced = ['-n', '11', process.execPath, '--input-type=module', '-e', program];
    const child = spawnSync('nice', niced, { encoding: 'utf8', timeout: 240_000 });
    expect(child.stderr).toBe('');
    const purged = { expired: 0, burned: 0 };
    expect(JSON.parse(child.stdout)).toEqual({ html: '<p><em>word</em></p>\n', purged, found: [], stepsBack: 0 });
  }, 270_000);
});
