import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { limits } from '../../src/limits.ts';
import { EditorDesk } from './editor-desk.ts';

// Spec 1 §2 "Notebook": the paper; §4: `/new`.
describe('the form for a new notebook', () => {
  let desk: EditorDesk;
  let page: Page;
  beforeAll(async () => {
    // Its own service, on which the addresses asked for here are free.
    desk = await EditorDesk.start(undefined, {});
  });
  afterAll(() => desk?.close());
  // One window, whose storage is empty for each test. A service worker would ask unseen from the second visit on.
  const openWindow = async () => {
    page = await desk.newPage({ serviceWorkers: 'block' });
    await page.goto(`${desk.service.origin}/new`);
  };
  beforeAll(openWindow);
  beforeEach(async () => {
    await page.unrouteAll();
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${desk.service.origin}/new`);
  });
  afterEach(() => expect(desk.complaints).toEqual([]));

  const slugState = () => page.locator('[data-slug-state]').getAttribute('data-state');
  const submit = async () => {
    await page.locator('[data-new-form] [type=submit]').click();
    await page.locator('[data-created]').waitFor();
    return new URL(await page.locator('#view-link').inputValue()).pathname;
  };

  it('offers the five papers, plain first', async () => {
    const papers = page.locator('input[name=paper]');
    await expect
      .poll(() => papers.evaluateAll(all => all.map(each => (each as HTMLInputElement).value)))
      .toEqual(['plain', 'lined', 'grid', 'dotted', 'kraft']);
    await expect.poll(() => page.locator('input[name=paper]:checked').inputValue()).toBe('plain');
  });

  it.each(['plain', 'lined', 'grid', 'dotted', 'kraft'])('makes a notebook of the paper that was chosen: %s', async paper => {
    await page.locator(`.paper-choice:has(input[value=${paper}])`).click();
    const path = await submit();
    const answer = await fetch(`${desk.service.origin}/api/notebooks/${path.split('/').at(-1)}`);
    expect(await answer.json()).toMatchObject({ paper });
    await page.goto(desk.service.origin + path);
    await expect.poll(() => page.locator(`.paper-${paper}`).count()).toBeGreaterThan(0);
  });

  it.each(['/new', '/', '/quick'])('leads to its editor also where the browser stores nothing: %s', async path => {
    await desk.context.close();
    await openWindow();
    onTestFinished(async () => {
      await desk.context.close();
      await openWindow();
    });
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('refused', 'QuotaExceededError');
      };
    });
    await page.goto(desk.service.origin + path);
    await page.locator('textarea[name=markdown]').fill('# Not stored');
    await page.locator(':is([data-new-form], [data-quick-form]) [type=submit]').click();
    await page.locator('[data-created]').waitFor();
    await page.locator('.created .notice.warning', { hasText: 'This browser couldn’t save the edit link.' }).waitFor();
    await expect.poll(() => page.locator('.created .notice:not(.warning)').filter({ hasText: /save/ }).count()).toBe(0);
    // Under the service's public name, which leads nowhere here.
    const editor = await page.locator('[data-open-editor]').evaluate(link => (link as HTMLAnchorElement).pathname);
    await page.goto(desk.service.origin + editor);
    await page.locator('#markdown-field').waitFor();
    await expect.poll(() => page.locator('#markdown-field').inputValue()).toBe('# Not stored');
  });

  it('says while the slug is typed whether it can be had, and makes the notebook there', async () => {
    const { slug: taken } = await desk.create({ slug: 'already-there', title: 'Already there' });
    await page.locator('#slug').pressSequentially(taken);
    await expect.poll(slugState).toBe('refused');
    await expect.poll(() => page.locator('#slug').getAttribute('aria-invalid')).toBe('true');
    await page.locator('#slug').fill('');
    await page.locator('#slug').pressSequentially('nobody-has-it');
    await expect.poll(slugState).toBe('available');
    expect(await submit()).toBe('/n/nobody-has-it');
  });

  it('names what is wrong with a slug where it is typed, also when it is sent', async () => {
    await page.locator('#slug').fill('naïve.txt');
    await page.locator('[data-new-form] [type=submit]').click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('slug');
    await expect.poll(() => page.locator('[data-slug-state]').innerText()).toBe('Only the letters a to z, digits and hyphens.');
    await expect.poll(() => page.locator('[data-form-error]').isVisible()).toBe(false);
    await page.locator('#slug').fill('naive-txt');
    expect(await submit()).toBe('/n/naive-txt');
  });

  it('says in plain words that the first page is too long', async () => {
    const most = limits.maxMarkdownBytes;
    await page.locator('#markdown').evaluate((field, length) => {
      const line = 'Lorem ipsum dolor sit amet, consectetur.\n';
      (field as HTMLTextAreaElement).value = line.repeat(length / line.length + 1);
    }, most);
    await page.locator('[data-new-form] [type=submit]').click();
    await expect
      .poll(() => page.locator('[data-form-error]:visible').innerText())
      .toBe(`The first page is too long: at most 1 MiB (${most.toLocaleString('en')} bytes).`);
  });

  it.each(['/new', '/'])(
    'a person who comes back from the editor does not find the text ready to be published again: %s',
    async path => {
      await page.goto(desk.service.origin + path);
      const text = page.locator('textarea[name=markdown]');
      await text.fill('# Once');
      await page.locator(':is([data-new-form], [data-quick-form]) [type=submit]').click();
      await page.locator('[data-created]').waitFor();
      await page.goto(
        desk.service.origin +
          (await page.locator('#view-link').evaluate(link => new URL((link as HTMLInputElement).value).pathname)),
      );
      await page.goBack();
      await text.waitFor();
      await expect.poll(() => text.inputValue()).toBe('');
    },
  );

  describe('when the answer is lost', () => {
    /** Loses the first answer to a create. @returns what every answer said, on its way */
    const loseFirst = async () => {
      const answers: { status: number; path: string | undefined }[] = [];
      await page.route(/\/api\/(notebooks|quick)(\?.*)?$/, async route => {
        const response = await route.fetch();
        answers.push({ status: response.status(), path: response.headers().location });
        return answers.length === 1 ? route.abort() : route.fulfill({ response });
      });
      return answers;
    };
    const failed = () => page.locator('[data-form-error]:visible').waitFor();
    const stored = async (path: string) => (await fetch(`${desk.service.origin}/api/notebooks/${path.split('/').at(-1)}`)).json();

    it('the same notebook comes with the second try, as the form says then', async () => {
      await loseFirst();
      await page.locator('#slug').fill('asked-twice');
      await page.locator('#markdown').fill('# First try');
      await page.locator('[data-new-form] [type=submit]').click();
      await failed();
      expect(await stored('asked-twice')).toMatchObject({ title: 'First try' });
      await page.locator('#markdown').fill('# First try\n\nand more');
      await page.locator('#title').fill('Second try');
      await page.locator('.paper-choice:has(input[value=grid])').click();
      expect(await submit()).toBe('/n/asked-twice');
      const now = await stored('asked-twice');
      expect(now).toMatchObject({ title: 'Second try', paper: 'grid' });
      expect(now.pages.map(({ markdown }: { markdown: string }) => markdown)).toEqual(['# First try\n\nand more']);
      const kept = await page.evaluate(() => JSON.stringify(localStorage));
      expect(kept).toContain('Second try');
    });

    it('what was published from the home page is published once', async () => {
      await page.goto(desk.service.origin);
      const answers = await loseFirst();
      const publish = page.locator('[data-quick-form] [type=submit]');
      await page.locator('textarea[name=markdown]').fill('# Once');
      await publish.click();
      await failed();
      await publish.click();
      await page.locator('[data-created]').waitFor();
      const path = new URL(await page.locator('#view-link').inputValue()).pathname;
      expect(answers).toEqual([
        { status: 201, path },
        { status: 200, path },
      ]);
      expect(await stored(path)).toMatchObject({ title: 'Once' });
    });

    const publish = async (text: string) => {
      await page.locator('textarea[name=markdown]').fill(text);
      await page.locator('[data-quick-form] [type=submit]').click();
    };
    const listed = () => page.locator('[data-saved-list] .saved-name a').allInnerTexts();
    const storedHere = () => page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('octavo.creating.')));

    it('a notebook that was published here is in the list below at once', async () => {
      await page.goto(desk.service.origin);
      await page.locator('[data-saved-empty]').waitFor();
      await publish('# Just now');
      await page.locator('[data-created]').waitFor();
      await expect.poll(listed).toEqual(['Just now']);
      await expect.poll(() => page.locator('[data-saved-empty]').isVisible()).toBe(false);
    });

    it('a text that was changed since is another notebook, and the first is in the list, too', async () => {
      await page.goto(desk.service.origin);
      const answers = await loseFirst();
      await publish('# First text');
      await page.getByText('The server cannot be reached. Your text is still here. Try again.').waitFor();
      await publish('# Second text');
      await page.locator('[data-created]').waitFor();
      await expect.poll(() => page.locator('#view-link').inputValue()).toContain(answers[1]!.path);
      expect(answers[1]!.path).not.toBe(answers[0]!.path);
      await expect.poll(async () => (await listed()).toSorted()).toEqual(['First text', 'Second text']);
      await page.getByText('An earlier try was published after all: “First text”.').and(page.locator('.notice')).waitFor();
      await expect.poll(storedHere).toEqual([]);
    });

    it.each([
      ['', async () => publish('# Left alone')],
      [
        'new',
        async () => {
          await page.locator('#markdown').fill('# Left alone');
          await page.locator('[data-new-form] [type=submit]').click();
        },
      ],
    ])('the next visit of the home page has its edit link, though the tab was closed: /%s', async (path, create) => {
      await page.goto(`${desk.service.origin}/${path}`);
      const answers = await loseFirst();
      await create();
      await failed();
      await page.close();
      page = await desk.window();
      await page.goto(desk.service.origin);
      await expect.poll(listed).toEqual(['Left alone']);
      await page.getByText('An earlier try was published after all: “Left alone”.').and(page.locator('.notice')).waitFor();
      await expect.poll(storedHere).toEqual([]);
      await page.locator('[data-saved-list]').getByRole('link', { name: 'Edit' }).click();
      await page.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
      expect(page.url()).toContain(answers[0]!.path!.split('/').at(-1));
    });

    it('what never arrived is made by nobody, and asked after for an hour', async () => {
      await page.goto(desk.service.origin);
      await page.route(/\/api\/quick/, route => route.abort());
      await publish('# Never sent');
      await failed();
      const asked = page.waitForResponse('**/api/notebooks');
      await page.reload();
      expect((await asked).status()).toBe(422);
      await expect.poll(async () => (await storedHere()).length).toBe(1);
      await page.evaluate(key => localStorage.setItem(key, String(Date.now() - 3_600_001)), (await storedHere())[0]!);
      await page.reload();
      await expect.poll(storedHere).toEqual([]);
      await expect.poll(listed).toEqual([]);
    });
  });

  describe('while the notebook is made', () => {
    let answer: (status?: number) => void;
    beforeEach(async () => {
      const held = new Promise<number | undefined>(resolve => {
        answer = resolve;
      });
      await page.route('**/api/notebooks', async route => {
        const status = await held;
        if (status === undefined) return route.continue();
        await route.fulfill({ status, json: { code: 'slug_taken', title: 'This address is taken.' } });
      });
    });

    /** The caret stays in `#markdown`. */
    const press = async () => {
      const asked = page.waitForRequest('**/api/notebooks');
      await page.locator('#markdown').evaluate((field: HTMLTextAreaElement) => field.form!.requestSubmit());
      await asked;
    };
    const fields = ['#markdown', '#title', '#slug'];
    const type = async (words: string) => {
      for (const field of fields) {
        await page.locator(field).focus();
        await page.keyboard.press('End');
        await page.keyboard.type(words);
      }
    };
    const texts = () => Promise.all(fields.map(field => page.locator(field).inputValue()));
    const paper = () => page.locator('input[name=paper]:checked').inputValue();

    it('no word goes into the form that goes away, no paper is chosen that it does not get, and the button says what is done', async () => {
      await type('words');
      await press();
      await type('-more');
      await expect.poll(texts).toEqual(['words', 'words', 'words']);
      await page.locator('.paper-choice:has(input[value=grid])').click();
      await expect.poll(paper).toBe('plain');
      await expect.poll(() => page.locator('[data-new-form] [type=submit]').innerText()).toBe('Creating…');
      answer();
      await page.locator('[data-created]').waitFor();
      const made = await fetch(`${desk.service.origin}/api/notebooks/words`);
      expect(await made.json()).toMatchObject({ title: 'words', paper: 'plain', pages: [{ markdown: 'words' }] });
    });

    it('what was refused stays as it is, and can be changed again', async () => {
      await type('refused');
      await press();
      answer(409);
      await page.locator('[data-form-error]:visible').waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('slug');
      await expect.poll(texts).toEqual(['refused', 'refused', 'refused']);
      await type('-again');
      await expect.poll(texts).toEqual(['refused-again', 'refused-again', 'refused-again']);
      await page.locator('.paper-choice:has(input[value=grid])').click();
      await expect.poll(paper).toBe('grid');
      await expect.poll(() => page.locator('[data-new-form] [type=submit]').innerText()).toBe('Create the notebook');
    });
  });
});
