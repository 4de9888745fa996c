import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { firefoxMissing, launchFirefox } from '../support/firefox.ts';
import { borrowService } from '../support/lent-service.ts';
import type { OwnService } from '../support/own-service.ts';

const browsers = [
  { name: 'Chromium', launch: launchChromium, missing: undefined },
  { name: 'Firefox', launch: launchFirefox as unknown as typeof launchChromium, missing: firefoxMissing },
];
let service: OwnService;
beforeAll(async () => {
  service = await borrowService();
});

const create = (body: object) => service.create(body);

async function owned(editToken: string): Promise<{ expiresAt: string; visibility: string }> {
  const answer = await fetch(`${service.origin}/api/notebook`, { headers: { 'x-edit-token': editToken } });
  return (await answer.json()) as { expiresAt: string; visibility: string };
}

/** What has the focus, as a person using a screen reader would hear it. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null;
    if (element === document.body) return '';
    const label = element?.id
      ? document.querySelector(`label[for="${element.id}"]`)?.textContent
      : element?.closest('label')?.textContent;
    return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim().replace(/\s+/g, ' ');
  });

/** Presses Tab until the named thing has the focus; a person would give up too. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    const at = await focused(page);
    if (name.test(at)) return;
    seen.push(at.slice(0, 30));
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${name}; it passed ${seen.join(' | ')}`);
}

describe.each(browsers)('by keyboard alone in $name', ({ launch, missing }) => {
  let browser: Browser;
  beforeAll(async () => {
    if (!missing) browser = await launch();
  }, 120_000);
  afterAll(() => browser?.close());

  const visit = async (path: string): Promise<Page> => {
    const page = await (await browser.newContext({ serviceWorkers: 'block' })).newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(service.origin + path);
    return page;
  };
  const done = (page: Page) => page.context().close();

  it.skipIf(missing)('unlocks', async () => {
    const { slug } = await create({ password: 'open sesame', pages: [{ markdown: '# Behind the password' }] });
    const page = await visit(`/n/${slug}`);
    await tabTo(page, /^Password/);
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('That password is wrong.').waitFor();
    await tabTo(page, /^Password/);
    await page.keyboard.type('open sesame');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Behind the password/ }).waitFor();
    await done(page);
  });

  it.skipIf(missing)('unlocks the heading that the link names, also after a wrong password', async () => {
    const markdown = `# One\n\n${'Line.\n\n'.repeat(100)}## Far below\n\n${'Line.\n\n'.repeat(100)}`;
    const { slug } = await create({ password: 'open sesame', pages: [{ markdown }] });
    const page = await visit(`/n/${slug}#far-below`);
    for (const password of ['wrong', 'open sesame']) {
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      if (password === 'wrong') await page.getByText('That password is wrong.').waitFor();
    }
    await page.getByRole('heading', { name: 'Far below' }).waitFor();
    // The page's script leads to the prefixed id, and then takes the prefix out of the address.
    await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).hash).toBe(`/n/${slug}#far-below`);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(500);
    await done(page);
  });

  it.skipIf(missing)('opens once', async () => {
    const { slug } = await create({ burnAfterRead: true, pages: [{ markdown: '# Read once' }] });
    const page = await visit(`/n/${slug}`);
    await tabTo(page, /^Open it now/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Read once/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /Read once/ }).waitFor();
    // Who comes later has no cookie. What they get is the service's own answer, in every browser.
    const late = await fetch(`${service.origin}/n/${slug}`);
    expect(late.status).toBe(404);
    expect(await late.text()).toContain('We couldn’t find that notebook');
    await done(page);
  });

  it.skipIf(missing)('comments', async () => {
    const { slug } = await create({ pages: [{ markdown: '# Say something' }] });
    const page = await visit(`/n/${slug}`);
    await tabTo(page, /^Write a comment/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Name/);
    await page.keyboard.type('A reader');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Well said.');
    await tabTo(page, /^Send the comment/);
    await page.keyboard.press('Enter');
    await page.locator('.comment', { hasText: 'Well said.' }).waitFor();
    await done(page);
  });

  it.skipIf(missing)('searches', async () => {
    const { slug } = await create({
      visibility: 'public',
      title: 'Lighthouses',
      pages: [{ markdown: '# Lighthouses\n\nOf the northern coast.' }],
    });
    const page = await visit('/search');
    await tabTo(page, /^Search for/);
    await page.keyboard.type('northern');
    await page.keyboard.press('Enter');
    await page.locator('mark', { hasText: 'northern' }).first().waitFor();
    await tabTo(page, /Lighthouses/);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/n/${slug}**`);
    await done(page);
  });

  it.skipIf(missing)('postpones the expiry', async () => {
    const { slug, editToken } = await create({ expiresIn: '1h', pages: [{ markdown: '# Not for ever' }] });
    const page = await visit(`/e/${editToken}`);
    await page.waitForURL(`**/edit/${slug}`);
    await page.getByRole('button', { name: 'Share', exact: true }).waitFor();
    await tabTo(page, /^Share$/);
    await page.keyboard.press('Enter');
    await page.getByLabel('Expiry').waitFor();
    await tabTo(page, /^Expiry/);
    const stored = async () => (await owned(editToken)).expiresAt;
    const before = await stored();
    const chosen = () =>
      page.getByLabel('Expiry').evaluate((select: HTMLSelectElement) => select.selectedOptions.item(0)?.textContent);
    for (let presses = 0; presses < 10 && (await chosen()) !== 'In 30 days'; presses++) await page.keyboard.press('ArrowDown');
    await tabTo(page, /^Set expiry$/);
    expect(await stored()).toBe(before);
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    expect(Date.parse(await stored()) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    await done(page);
  });

  it.skipIf(missing)('changes its mind about who may read, faster than the server answers', async () => {
    const { slug, editToken } = await create({ pages: [{ markdown: '# For whom?' }] });
    const page = await visit(`/e/${editToken}`);
    await page.waitForURL(`**/edit/${slug}`);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const whoMayRead = page.getByLabel('Who may read');
    const answers: (() => Promise<void>)[] = [];
    await page.route('**/api/notebooks/*', route => void answers.push(() => route.continue()));
    await whoMayRead.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => answers.length).toBe(1);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await answers[0]!();
    // The answer to the first choice does not undo the last one, which is what is saved in the end, nor says that it is saved.
    await expect.poll(() => answers.length).toBe(2);
    const drawnAgain = () =>
      whoMayRead.evaluate(
        (select: HTMLSelectElement) =>
          new Promise(told => {
            const tell = () => told([select.value, document.querySelector('.dialog-state')!.textContent]);
            requestAnimationFrame(() => requestAnimationFrame(tell));
          }),
      );
    expect(await drawnAgain()).toEqual(['public', '']);
    await answers[1]!();
    await expect.poll(() => answers.length).toBe(3);
    await answers[2]!();
    await page.getByText('Saved.').waitFor();
    expect(await drawnAgain()).toEqual(['public', 'Saved.']);
    expect((await owned(editToken)).visibility).toBe('public');
    await done(page);
  });
});
