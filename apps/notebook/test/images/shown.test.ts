import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { createThrough, type Made, type ServiceProcess, startService } from '../support/service-process.ts';
import { aPicture } from './pictures.ts';

/** Where readers fetch: plain http and another port, as on a machine where the service is tried out; and a stranger like it. */
let servers: Server[];
let origins: [string, string];
let database: Database;
let service: ServiceProcess;
let browser: Browser;
let made: Made;

beforeAll(async () => {
  const picture = await aPicture('png');
  servers = [1, 2].map(() =>
    createServer((_, answer) => void answer.writeHead(200, { 'content-type': 'image/png' }).end(picture)),
  );
  await Promise.all(servers.map(server => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))));
  origins = servers.map(server => `http://127.0.0.1:${(server.address() as AddressInfo).port}`) as [string, string];
  database = await sqlite.createDatabase();
  service = await startService({
    DATABASE_URL: database.url,
    R2_ENDPOINT: 'http://127.0.0.1:1',
    R2_ACCESS_KEY_ID: 'id',
    R2_SECRET_ACCESS_KEY: 'secret',
    R2_BUCKET: 'bucket',
    R2_PUBLIC_URL: `${origins[0]}/bucket`,
  });
  made = await createThrough(service.origin, {
    pages: [{ markdown: `# Pictures\n\n![ours](${origins[0]}/bucket/a/b.png)\n\n![a stranger’s](${origins[1]}/c.png)` }],
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await service?.kill();
  database?.remove();
  for (const server of servers) server.close();
});

/** The widths that pictures of this text really have: 0 where the policy or a network kept it away. */
const widthOf = (page: Page, alt: string) =>
  page.getByAltText(alt).evaluate(async image => {
    const picture = image as HTMLImageElement;
    picture.loading = 'eager';
    await picture.decode().catch(() => {});
    return picture.naturalWidth;
  });

it('an image of our own store is shown in the editor at once, a stranger’s after a click', async () => {
  const page = await browser.newPage();
  await page.goto(`${service.origin}/e/${made.editToken}`);
  await page.getByAltText('ours').waitFor();
  await expect.poll(() => widthOf(page, 'ours')).toBe(48);
  await page.getByRole('button', { name: `Show the image from ${new URL(origins[1]).host}` }).waitFor();
  await expect.poll(() => page.getByAltText('a stranger’s').count()).toBe(0);
  await page.close();
});

it.each(['', '/print'])('an image of our own store is shown on the view%s, and plain http of nobody else', async path => {
  const page = await browser.newPage();
  await page.goto(`${service.origin}/n/${made.slug}${path}`);
  await expect.poll(() => widthOf(page, 'ours')).toBe(48);
  await expect.poll(() => widthOf(page, 'a stranger’s')).toBe(0);
  await page.close();
});
