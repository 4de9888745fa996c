import type { Browser, Download } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// A link with `download`, followed when the session is over: what comes must not be saved as if it were the file.

const page = '<!doctype html><a href="/staff/report.pdf" download>Report</a>';
let browser: Browser;
let application: TestServer;
let provider: SmallProvider;
let gate: TestGate;

beforeAll(async () => {
  application = await serve((request, response) => {
    if (request.url === '/page') response.setHeader('content-type', 'text/html').end(page);
    else response.setHeader('content-type', 'application/pdf').end('the file');
  });
  [browser, provider] = await Promise.all([launchChromium(), startSmallProvider()]);
  gate = await startGate({
    upstream: application.origin,
    providers: [corp, { ...corpProvider(provider), id: 'uni', name: 'University' }],
    rules: [
      { paths: ['/page'], allow: 'anyone' },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  });
}, 60_000);

afterAll(async () => {
  await browser?.close();
  for (const one of [gate, application, provider]) await one?.[Symbol.asyncDispose]();
});

async function download(cookie?: string): Promise<{ file: Download; url: () => string }> {
  const context = await browser.newContext();
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split(/=(.*)/);
    await context.addCookies([{ name, value, url: gate.origin }]);
  }
  const tab = await context.newPage();
  await tab.goto(`${gate.origin}/page`);
  const [file] = await Promise.all([tab.waitForEvent('download'), tab.click('text=Report')]);
  return { file, url: () => tab.url() };
}

test('with a session it is the file', async () => {
  const { file } = await download(await sessionCookie(gate));
  expect([file.suggestedFilename(), await file.failure()]).toEqual(['report.pdf', null]);
});

test('without one the download fails, rather than save the sign-in page', async () => {
  const { file } = await download();
  expect(await file.failure()).not.toBeNull();
});

test('where there is nothing to choose, the provider takes over, and the browser makes a page of it', async () => {
  await gate.app.reload(gate.readConfig({ providers: [corpProvider(provider)] }));
  const tab = await (await browser.newContext()).newPage();
  await tab.goto(`${gate.origin}/page`);
  await Promise.all([tab.waitForURL(`${provider.origin}/authorize**`), tab.click('text=Report')]);
  await gate.app.reload(gate.config);
});
