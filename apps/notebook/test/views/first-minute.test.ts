import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { timeOfLines } from '../support/time-of-lines.ts';
import { findFaults } from './axe.ts';
import { EditorDesk } from './editor-desk.ts';
import { traces } from './traces.ts';

let desk: EditorDesk;
let page: Page;
// One window, whose storage is empty for each test. A service worker would ask unseen from the second visit on.
beforeAll(async () => {
  desk = await EditorDesk.start();
  page = await desk.newPage({ serviceWorkers: 'block', permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(desk.service.origin);
});
afterAll(() => desk?.close());
beforeEach(async () => {
  desk.complaints.length = 0;
  await page.unrouteAll();
  await page.evaluate(() => localStorage.clear());
  await page.goto(desk.service.origin);
});
afterEach(() => expect(desk.complaints).toEqual([]));

const published = () => page.locator('[data-clipboard-state]:visible').innerText();
const linkOf = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const markdownBehind = async (view: string) => (await fetch(`${desk.service.origin}${new URL(view).pathname}.md`)).text();

const trace = `Traceback (most recent call last):
  File "app.py", line 3, in <module>
    main()
ValueError: *no* such __page__`;

describe('from the home page to a shared link', () => {
  it('keeps the text and says what to do when part of the page did not load, and publishes once it does', async () => {
    const part = /\/read-paste-[^/]+\.js/;
    await page.route(part, route => route.abort());
    await page.keyboard.type('# Picnic');
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(() => page.locator('[data-quick-form] [data-form-error]:visible').innerText())
      .toBe('Part of this page did not load. Try again, or copy your text and reload.');
    const field = page.locator('textarea[name=markdown]');
    await expect.poll(() => field.inputValue()).toBe('# Picnic');
    await expect.poll(() => field.isEditable()).toBe(true);
    await page.unroute(part);
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => published()).toBe('Your clipboard has the edit link.');
  });

  it('by keyboard alone: the caret is in the field, one key publishes, one press copies the view link', async () => {
    await page.keyboard.type('# Picnic\n\nBring bread.');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => published()).toBe('Your clipboard has the edit link.');
    await expect.poll(() => clipboard()).toBe(await linkOf('Edit link'));
    // Both links at once, and the one to share first.
    await expect.poll(() => linkOf('View link')).toMatch(/\/n\/[a-z0-9]{16}$/);
    await expect.poll(() => page.locator('[data-created] button').first().textContent()).toBe('Copy view link');
    // In large letters: sending the wrong one gives the notebook away.
    const size = (of: string) =>
      page
        .locator(of)
        .first()
        .evaluate(each => Number.parseFloat(getComputedStyle(each).fontSize));
    await expect.poll(async () => (await size('[data-clipboard-state]')) > 1.3 * (await size('.created .label'))).toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(published).toBe('Your clipboard has the view link.');
    const view = await linkOf('View link');
    await expect.poll(() => clipboard()).toBe(view);
    await expect.poll(() => markdownBehind(view)).toContain('Bring bread.');
    await expect.poll(() => findFaults(page)).toEqual([]);
  });

  it('the notebook is in the list of this browser afterwards', async () => {
    await page.getByLabel('Your text').fill('Only a line');
    await page.getByRole('button', { name: 'Publish' }).click();
    await published();
    await page.reload();
    await expect.poll(() => page.locator('.saved-name a').allTextContents()).toEqual(['Only a line']);
  });

  it('while it is being published, no word goes into the form that goes away, and a choice changes nothing that is said', async () => {
    let send = () => {};
    const held = new Promise<void>(resolve => {
      send = resolve;
    });
    await page.route('**/api/**', async route => {
      await held;
      await route.continue();
    });
    const text = page.getByLabel('Your text');
    await text.fill('A line');
    const asked = page.waitForRequest('**/api/**');
    await page.keyboard.press('Control+Enter');
    await asked;
    await page.keyboard.type(' and more');
    await expect.poll(() => text.inputValue()).toBe('A line');
    await page.locator('[data-burn]').check();
    send();
    await published();
    await expect.poll(() => page.locator('[data-created-status]').innerText()).not.toContain('opens once');
  });

  it('says that an image is left out, whether it was pasted alone or within a text', async () => {
    const paste = (given: Record<string, string>, files: readonly string[]) =>
      page.getByLabel('Your text').evaluate(
        (field, [texts, names]) => {
          const clipboardData = new DataTransfer();
          for (const [type, text] of Object.entries(texts)) clipboardData.setData(type, text);
          for (const name of names) clipboardData.items.add(new File(['x'], name, { type: 'image/png' }));
          field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        },
        [given, files] as const,
      );
    const said = () => page.locator('[data-picture-hint]').innerText();
    await paste({}, ['photo.png']);
    expect(await said()).toBe('Only text goes in here. This server keeps no images.');
    await paste({ 'text/plain': '1\t2' }, ['cells.png']);
    expect(await said()).toBe('');
    await paste({ 'text/plain': 'My trip', 'text/html': '<p>My trip</p><img src="data:image/png;base64,">' }, []);
    expect(await said()).toMatch(/^Only text goes in here\./);
  });

  it('a text that is too long is not sent; the message says by how much', async () => {
    const text = page.getByLabel('Your text');
    await text.evaluate(field => {
      (field as HTMLTextAreaElement).value = 'Lorem ipsum dolor sit amet, consectetur é.\n'.repeat(25_000);
    });
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect
      .poll(() => page.locator('[data-quick-form] [data-form-error]:visible').innerText())
      .toMatch(/^Your text is too long: 1,100,000 bytes, at most 1 MiB \(1,048,576 bytes\)\. /);
    await expect.poll(() => text.inputValue().then(({ length }) => length)).toBe(25_000 * 43);
  });

  it('takes a log of 40,000 lines in a time that grows with the lines, not with their square', async () => {
    const fill = await timeOfLines(page.getByLabel('Your text'));
    await fill(1_000);
    const few = await fill(5_000);
    // Eight times as many lines: about eight times as long, and 64 times if each line looks at all others.
    expect(await fill(40_000)).toBeLessThan(25 * few);
  });

  it('an empty field publishes nothing', async () => {
    const sent: (string | null)[] = [];
    page.on('request', request => request.method() === 'POST' && sent.push(request.postData()));
    await page.getByRole('button', { name: 'Publish' }).click();
    // A request of the first press would come before that of the second.
    await page.getByLabel('Your text').fill('A line');
    await page.getByRole('button', { name: 'Publish' }).click();
    await published();
    expect(sent).toEqual([expect.stringContaining('A line')]);
  });
});

describe('a pasted trace', () => {
  it('keeps its lines, and says so before it is published', async () => {
    await page.getByLabel('Your text').fill(trace);
    await expect.poll(() => page.getByLabel('Keep lines as they are').isChecked()).toBe(true);
    await expect.poll(() => page.getByText('Looks like a log or code.').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Publish' }).click();
    await published();
    await expect.poll(async () => await markdownBehind(await linkOf('View link'))).toContain(`\`\`\`\n${trace}\n\`\`\``);
  });

  it('is Markdown after one press', async () => {
    await page.getByLabel('Your text').fill(trace);
    await page.getByText('Looks like a log or code.').waitFor();
    await page.getByLabel('Keep lines as they are').click();
    // The choice is the person's now: further typing does not take it back.
    await page.getByLabel('Your text').press('End');
    await page.keyboard.type('\nmore');
    await expect.poll(() => page.getByLabel('Keep lines as they are').isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Publish' }).click();
    await published();
    expect(await markdownBehind(await linkOf('View link'))).not.toContain('```');
  });
});

describe('a secret', () => {
  it.each(['/', '/quick'])('a secret that opens once is shared with three presses: a box, a key, a copy, at %s', async path => {
    if (path !== '/') await page.goto(desk.service.origin + path);
    await page.keyboard.type('The code is 1234.');
    await page.getByLabel('Delete after it’s read once').check();
    await page.keyboard.press('Control+Enter');
    await expect.poll(published).toBe('Your clipboard has the edit link.');
    await page.getByText('For one reader. It opens once.').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(published).toBe('Your clipboard has the view link.');
    await expect.poll(async () => (await clipboard()) === (await linkOf('View link'))).toBe(true);
    const view = new URL(await linkOf('View link')).pathname;
    const before = await (await fetch(desk.service.origin + view)).text();
    expect(before).not.toContain('1234');
    const opened = await fetch(`${desk.service.origin}/api/notebooks/${view.slice(3)}/open`, {
      method: 'POST',
      redirect: 'manual',
    });
    expect(opened.status).toBe(303);
    const again = await fetch(`${desk.service.origin}/api/notebooks/${view.slice(3)}/open`, {
      method: 'POST',
      redirect: 'manual',
    });
    expect(again.status).toBe(404);
  });
});

describe('a new notebook', () => {
  const focused = () => page.evaluate(() => document.activeElement?.id);
  const titleOf = async (view: string) => {
    const html = await (await fetch(`${desk.service.origin}${new URL(view).pathname}`)).text();
    return { html, title: /<title>(.*?) · Octavo<\/title>/.exec(html)?.[1] };
  };

  it('is one press from the home page to writing, and has the title of its first line', async () => {
    await page.getByRole('link', { name: 'New notebook' }).click();
    await expect.poll(focused).toBe('markdown');
    await expect.poll(() => page.locator('#markdown').getAttribute('placeholder')).toMatch(/^Write here/);
    await page.keyboard.type('Bring bread\n- and salt');
    await page.getByRole('button', { name: 'Create the notebook' }).click();
    await page.locator('[data-created]').waitFor();
    const { html, title } = await titleOf(await linkOf('View link'));
    expect(title).toBe('Bring bread');
    expect(html).not.toMatch(/Untitled|Page 1/);
  });

  it('without a word opens with the caret in the text, and takes its title from the first line once that is done', async () => {
    const made = await desk.create({});
    await desk.open(page, made);
    await expect.poll(focused).toBe('markdown-field');
    await expect.poll(() => page.locator('#markdown-field').getAttribute('placeholder')).toMatch(/^Write here/);
    const title = page.getByLabel('Notebook title');
    await expect.poll(() => title.inputValue()).toBe('');
    const listed = () => page.locator('.page-pick').innerText();
    await expect.poll(listed).toBe('Untitled page');
    await expect.poll(() => page.locator('body').innerText()).not.toMatch(/Untitled notebook|Page 1/);
    await expect.poll(() => page.getByRole('button', { name: 'Page 1' }).count()).toBe(0);
    await page.keyboard.type('Bring');
    await expect.poll(listed).toMatch(/^Bring/);
    await expect.poll(() => desk.stored(made).then(({ pages }) => pages[0]!.markdown)).toBe('Bring');
    await expect.poll(() => title.inputValue()).toBe('');
    await page.keyboard.type(' bread\n\nand salt');
    await expect.poll(() => title.inputValue(), { timeout: 20_000 }).toBe('Bring bread');
    await expect.poll(() => page.title()).toBe('Bring bread · Octavo');
    await title.fill('Picnic');
    await title.press('Enter');
    await expect.poll(() => page.title()).toBe('Picnic · Octavo');
  });

  it('is written on at once after a page was added', async () => {
    await desk.open(page, await desk.create({ pages: [{ markdown: '# One\n\ntext' }] }));
    await page.getByRole('button', { name: 'Add page' }).click();
    await page.getByRole('button', { name: 'Empty page' }).click();
    await expect.poll(focused).toBe('markdown-field');
    await expect.poll(() => page.locator('#markdown-field').inputValue()).toBe('');
  });
});

/** Real keys, with the text on the clipboard, as from a terminal. */
async function paste(text: string): Promise<void> {
  await page.evaluate(words => navigator.clipboard.writeText(words), text);
  await page.getByLabel('Your text').click();
  await page.keyboard.press('Control+v');
  await expect.poll(() => page.getByLabel('Your text').inputValue()).toBe(text);
}

/** What a reader sees, and how wide a thin letter is beside a wide one. */
function readPage(view: Page) {
  return view.evaluate(() => {
    const block = document.querySelector<HTMLElement>('.prose pre')!;
    const style = getComputedStyle(block.querySelector('code')!);
    const pen = document.createElement('canvas').getContext('2d')!;
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    return {
      lines: block.innerText.replace(/\n$/, '').split('\n'),
      others: [...document.querySelectorAll('.prose > *')].filter(each => !each.contains(block)).map(each => each.outerHTML),
      widths: [pen.measureText('iiii').width, pen.measureText('WWWW').width],
      wraps: style.whiteSpace,
    };
  });
}

// Traces of Java, Python, Rust and a kernel log.
describe.each(['/', '/quick'])('pasted at %s and published', path => {
  it.each(Object.entries(traces))('%s looks as in the terminal', async (_, trace) => {
    if (path !== '/') await page.goto(desk.service.origin + path);
    await paste(trace);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.locator('[data-created]').waitFor();
    const { pathname } = new URL(await page.getByLabel('View link', { exact: true }).inputValue());
    await page.goto(desk.service.origin + pathname);
    await page.locator('.prose pre').waitFor();
    await page.evaluate(() => document.fonts.ready);
    const { lines, others, widths, wraps } = await readPage(page);
    expect(lines).toEqual(trace.split('\n'));
    expect(others).toEqual([]);
    expect(widths[0]).toBeGreaterThan(0);
    expect(widths[0]).toBe(widths[1]);
    expect(wraps).toBe('pre');
  });
});
