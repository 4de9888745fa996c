import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

/** Words that occur nowhere else, so that finding one means a leak. */
const secrets = {
  title: 'Zanzibar quarterly plan',
  text: 'kumquat marmalade recipe',
  password: 'xylophone-7-umbrella',
  wrongPassword: 'trombone-3-parasol',
  comment: 'persimmon remark',
  author: 'Quetzalcoatlus',
  slug: 'zanzibar-hidden-slug',
};

let database: Database;
let service: ServiceProcess;
let browser: Browser;
/** Everything the analytics host was sent, headers included. */
const received: string[] = [];
const referrers: string[] = [];
const foreignRequests: string[] = [];

const analytics = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : body.toString();
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${text}`);
    response.end('{}');
  });
});

beforeAll(async () => {
  await new Promise<void>(resolve => analytics.listen(0, '127.0.0.1', resolve));
  const { port } = analytics.address() as AddressInfo;
  database = await sqlite.createDatabase();
  service = await startService({
    DATABASE_URL: database.url,
    LOG_LEVEL: 'debug',
    ANALYTICS_KEY: 'phc_test',
    ANALYTICS_HOST: `http://127.0.0.1:${port}`,
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await service?.kill('SIGKILL').catch(() => {});
  analytics.close();
  database?.remove();
});

async function openPage(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(30_000);
  page.on('request', request => {
    const { referer } = request.headers();
    if (referer) referrers.push(referer);
    if (/^https?:/.test(request.url()) && !request.url().startsWith(service.origin)) foreignRequests.push(request.url());
  });
  return page;
}

it('a whole run in a browser leaves nothing of a notebook in logs, analytics or referrers', async () => {
  const owner = await openPage();
  await owner.goto(`${service.origin}/new`);
  await owner.getByLabel('Title').fill(secrets.title);
  await owner.getByLabel('Address').fill(secrets.slug);
  await owner.getByLabel('First page').fill(`# Heading\n\n${secrets.text}\n\n[out](https://example.org/)`);
  await owner.getByRole('button', { name: 'Create the notebook' }).click();
  await owner.getByText('Your notebook is ready').waitFor();
  const editLink = await owner.getByRole('textbox', { name: 'Edit link', exact: true }).inputValue();
  const editToken = editLink.split('/e/')[1]!;
  await owner.goto(`${service.origin}/e/${editToken}`);
  await owner.waitForURL(`**/edit/${secrets.slug}`);
  await owner.getByRole('button', { name: 'Share', exact: true }).click();
  await owner.getByLabel('Password', { exact: true }).fill(secrets.password);
  await owner.getByRole('button', { name: 'Set password' }).click();
  await owner.getByText('Saved.').waitFor();

  const reader = await openPage();
  await reader.goto(`${service.origin}/n/${secrets.slug}`);
  for (const password of [secrets.wrongPassword, secrets.password]) {
    await reader.getByLabel('Password').fill(password);
    await reader.getByRole('button', { name: 'Unlock' }).click();
    await reader.waitForLoadState();
  }
  await reader.getByText(secrets.text).waitFor();
  await reader.getByText('Write a comment').click();
  await reader.getByLabel('Name').fill(secrets.author);
  await reader.getByLabel('Comment', { exact: true }).fill(secrets.comment);
  await reader.getByRole('button', { name: 'Send the comment' }).click();
  await reader.locator('.comment', { hasText: secrets.comment }).waitFor();
  const cookies = await reader.context().cookies();
  expect(cookies.map(cookie => cookie.name)).toContain(`nb_unlock_${secrets.slug}`);
  for (const path of ['/print', '.md']) await reader.goto(`${service.origin}/n/${secrets.slug}${path}`).catch(() => {});
  await reader.goto(`${service.origin}/search?q=${encodeURIComponent(secrets.text)}`);
  await fetch(`${service.origin}/api/notebooks/${secrets.slug}`, { method: 'DELETE', headers: { 'x-edit-token': editToken } });
  // Errors too: a body that is refused, a token that is wrong.
  await fetch(`${service.origin}/api/quick`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"markdown": "${secrets.text}`,
  });
  await fetch(`${service.origin}/e/${editToken}x`);

  // Stopping sends what still waits.
  expect(await service.kill('SIGTERM')).toBe(0);
  expect(received.length).toBeGreaterThan(0);
  const looked: Record<string, string> = {
    logs: service.output(),
    analytics: received.join('\n'),
    referrers: referrers.join('\n'),
  };
  const hidden = { ...secrets, editToken, ...Object.fromEntries(cookies.map(({ name, value }) => [name, value])) };
  for (const [place, text] of Object.entries(looked)) {
    for (const [what, secret] of Object.entries(hidden)) {
      // An unlisted slug is a capability as well.
      expect([place, what, text.includes(secret) || text.includes(encodeURIComponent(secret))]).toEqual([place, what, false]);
    }
  }
  expect(referrers).toEqual([]);
  expect(foreignRequests).toEqual([]);
  expect(service.output()).toContain('"msg":"request"');
}, 90_000);
