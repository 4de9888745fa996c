import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createThrough, type Made, type ServiceProcess, startService } from '../support/service-process.ts';

const pages = 8;
const page = '\u0001'.repeat(1_048_570);

/** Six times as long in JSON, many at once, in a process that has not the memory for two of them. */
describe('large notebooks in a process of little memory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-flat-'));
  let service: ServiceProcess;
  let made: Made;
  beforeAll(async () => {
    const env = { DATABASE_URL: `sqlite:${join(folder, 'octavo.db')}`, NODE_OPTIONS: '--max-old-space-size=128' };
    service = await startService(env);
    made = await createThrough(service.origin);
    for (let number = 0; number < pages; number++) {
      const body = JSON.stringify({ markdown: `${page}needle` });
      const headers = { 'content-type': 'application/json', 'x-edit-token': made.editToken };
      const answer = await fetch(`${service.origin}/api/notebooks/${made.slug}/pages`, { method: 'POST', body, headers });
      expect(answer.status).toBe(201);
    }
  }, 120_000);
  afterAll(async () => {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (path: string) => fetch(service.origin + path, { headers: { 'x-edit-token': made.editToken } });
  const countBytes = async (path: string) => {
    const answer = await ask(path);
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) bytes += chunk.length;
    return [answer.status, bytes] as const;
  };

  // In all, more text than the process has memory.
  it('are searched twenty times at once', async () => {
    const found = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await ask(`/n/${made.slug}/find?q=needle`);
        return [answer.status, (await answer.text()).includes('On 8 pages')];
      }),
    );
    expect(found).toEqual(Array.from({ length: 20 }, () => [200, true]));
  }, 300_000);

  it('are read twelve times at once, by programs and by the editor', async () => {
    const doors = ['/api/notebook', `/api/notebooks/${made.slug}`, `/n/${made.slug}.md`];
    const answers = await Promise.all(Array.from({ length: 12 }, (_, turn) => countBytes(doors[turn % 3]!)));
    for (const [turn, [status, bytes]] of answers.entries()) {
      expect(status).toBe(200);
      expect(bytes).toBeGreaterThan((turn % 3 === 2 ? 1 : 6) * pages * page.length);
    }
    expect((await ask('/healthz')).status).toBe(200);
  }, 300_000);
});
