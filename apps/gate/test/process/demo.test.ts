import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { signInAtOpenIdProvider } from '../support/person.ts';
import { freePort } from '../support/servers.ts';

// The pair: the notebook service of a company, unchanged, behind the gate.

describe('npm run demo:gate', () => {
  let browser: Browser;
  let origin: string;
  let child: ReturnType<typeof spawn>;
  let complaints = '';

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const program = fileURLToPath(new URL('../../../../tools/demo-gate.ts', import.meta.url));
    child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr?.on('data', chunk => {
      complaints += chunk;
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const ready = new Promise<void>(resolve => lines.on('line', line => line.includes('The configuration:') && resolve()));
    [browser] = await Promise.all([launchChromium(), ready]);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }, 30_000);

  test('prints no warnings', () => {
    expect(complaints).toBe('');
  });

  async function signedIn(name: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${origin}/new`);
    await signInAtOpenIdProvider(page, name, origin);
    return page;
  }

  /** What a page of the service itself would send. */
  const create = (page: Page) =>
    page.evaluate(async () => {
      const answer = await fetch('/api/notebooks', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ pages: [{ markdown: '# Behind the gate' }] }),
      });
      return { status: answer.status, body: await answer.json() };
    });

  test('lets staff create, and everybody follow the view link', async () => {
    const page = await signedIn('ada');
    expect(page.url()).toBe(`${origin}/new`);
    const created = await create(page);
    expect(created.status).toBe(201);
    expect(created.body.viewUrl).toMatch(new RegExp(`^${origin}/n/`));
    const view = await fetch(created.body.viewUrl);
    expect([view.status, (await view.text()).includes('Behind the gate')]).toEqual([200, true]);
    await page.context().close();
  }, 60_000);

  test('lets a guest read but not create, and requires a sign-in to create', async () => {
    const page = await signedIn('bob');
    expect(await create(page)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } });
    const anonymous = await fetch(`${origin}/api/notebooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(anonymous.status).toBe(401);
    await page.context().close();
  }, 60_000);
});
