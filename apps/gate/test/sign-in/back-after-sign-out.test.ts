import { expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { startGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream } from '../support/upstream.ts';

test('the back button shows no page of the application after a sign-out: the browser asks the gate again', async () => {
  await using upstream = await startUpstream();
  await using provider = await startSmallProvider();
  const other = { ...corpProvider(provider), id: 'other', name: 'Other', issuer: 'https://op.example' };
  await using gate = await startGate({
    upstream: upstream.origin,
    providers: [corpProvider(provider), other],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
  });
  const browser = await launchChromium();
  const context = await browser.newContext();
  try {
    const cookie = await sessionCookie(gate, { issuer: provider.issuer });
    await context.addCookies([{ name: 'gate', value: cookie.slice('gate='.length), url: gate.origin }]);
    const page = await context.newPage();
    await page.goto(`${gate.origin}/private`);
    await expect.poll(() => page.textContent('h1')).toBe('The application');
    await page.goto(`${gate.origin}/gate/sign-out`);
    await page.click('button');
    await expect.poll(() => page.textContent('h1')).toBe('You are signed out');
    await page.goBack();
    await page.goBack();
    await expect.poll(() => page.url()).toBe(`${gate.origin}/gate/sign-in?returnTo=%2Fprivate`);
    await expect.poll(() => page.textContent('body')).not.toContain('The application');
  } finally {
    await browser.close();
  }
});
