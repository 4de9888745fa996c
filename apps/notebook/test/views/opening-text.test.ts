import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';

let octavo: ServiceInBrowser;
beforeAll(async () => {
  octavo = await ServiceInBrowser.borrow();
});
afterAll(() => octavo?.close());

const markdown = `# Folio & <two>\n\n${'A paragraph of words that a phone breaks into rows. '.repeat(12)}\n\n- item\n\tindented\n`;
const create = (first = markdown) =>
  octavo.create({ title: 'Paper <mill>', pages: [{ markdown: first }, { markdown: '# Second' }] });

describe('the page of an edit link, before its script', () => {
  const fetchEditor = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(octavo.origin + path, { headers });
    return { answer, html: await answer.text() };
  };
  const opened = { 'sec-fetch-dest': 'document' };

  it('shows a browser that opens it the title, the pages and the text, and is never kept', async () => {
    const { editToken } = await create();
    const { answer, html } = await fetchEditor(`/e/${editToken}`, opened);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    for (const shown of ['Paper &lt;mill>', 'Second', '# Folio &amp; &lt;two>', '\tindented']) expect(html).toContain(shown);
    expect(html).not.toContain(editToken);
  });

  const blockOf = (html: string) => /<script type="application\/json" class="opening-notebook">(.*?)<\/script>/.exec(html)?.[1];

  it('holds a small notebook as the API answers it, and no edit token', async () => {
    const { editToken } = await create();
    const { html } = await fetchEditor(`/e/${editToken}`, opened);
    const answer = await fetch(`${octavo.origin}/api/notebook`, { headers: { 'x-edit-token': editToken } });
    expect(JSON.parse(blockOf(html)!)).toEqual(await answer.json());
    expect(html).not.toContain(editToken);
  });

  it('holds no text that ends the block', async () => {
    const { editToken } = await create('</script><script>alert(1)</script><!--');
    const { html } = await fetchEditor(`/e/${editToken}`, opened);
    expect(JSON.parse(blockOf(html)!).pages[0].markdown).toBe('</script><script>alert(1)</script><!--');
  });

  it.each([
    ['a large notebook', 'a'.repeat(16_400), opened],
    ['a notebook for a chat', markdown, {}],
  ])('does not hold %s', async (_which, text, headers) => {
    const { editToken } = await create(text);
    const { html } = await fetchEditor(`/e/${editToken}`, headers as Record<string, string>);
    expect(blockOf(html)).toBeUndefined();
  });

  it('shows the start of a long text, and cuts no letter in half', async () => {
    const { editToken } = await create(`${'a'.repeat(7_999)}\u{1f4d6}the rest`);
    const { html } = await fetchEditor(`/e/${editToken}`, opened);
    expect(html).toContain(`${'a'.repeat(7_999)}</section>`);
  });

  it.each([
    ['a chat that looks what a pasted link shows', {}],
    ['a request of a script', { 'sec-fetch-dest': 'empty' }],
  ])('shows %s no word of it', async (_who, headers) => {
    const { editToken } = await create();
    const { answer, html } = await fetchEditor(`/e/${editToken}`, headers as Record<string, string>);
    expect(answer.status).toBe(200);
    for (const hidden of ['mill', 'Folio', 'Second']) expect(html).not.toContain(hidden);
  });

  it('shows no word of it at its address without the token', async () => {
    const { slug } = await create();
    const { html } = await fetchEditor(`/edit/${slug}`, opened);
    for (const hidden of ['mill', 'Folio', 'Second']) expect(html).not.toContain(hidden);
  });
});

it.each([390, 820, 1440])('at %i px the field comes where the text was, and a press before that was not in vain', async width => {
  const { editToken } = await create();
  const context = await octavo.browser.newContext({ viewport: { width, height: 844 }, hasTouch: width === 390 });
  const page = await context.newPage();
  let release = (): void => undefined;
  const read = new Promise<void>(resolve => (release = resolve));
  await page.route('**/assets/editor-*.js', async route => {
    await read;
    await route.continue();
  });
  await page.goto(`${octavo.origin}/e/${editToken}`, { waitUntil: 'commit' });
  const text = page.locator('.opening-text');
  await text.click();
  await expect.poll(() => text.innerText()).toContain('# Folio & <two>');
  const boxOf = (selector: string) =>
    page.locator(selector).evaluate(box => {
      const { x, y } = box.getBoundingClientRect();
      const { fontSize, lineHeight, fontFamily, paddingLeft, paddingTop } = getComputedStyle(box);
      return { x: Math.round(x), y: Math.round(y), fontSize, lineHeight, fontFamily, paddingLeft, paddingTop };
    });
  const pageLeft = async () => (await boxOf('.page-list li:first-child .page-name')).x;
  const before = await boxOf('.opening-text');
  const pageLeftBefore = await pageLeft();
  release();
  const field = page.locator('#markdown-field');
  await field.waitFor();
  expect(await boxOf('#markdown-field')).toEqual(before);
  // On a phone, the list opens in a panel of its own.
  if (width > 390) expect(await pageLeft()).toBe(pageLeftBefore);
  await expect.poll(() => field.evaluate(box => document.activeElement === box)).toBe(true);
  await page.keyboard.type('x');
  await expect.poll(() => field.inputValue()).toHaveLength(markdown.length + 1);
  await expect.poll(() => page.locator('.opening-text').count()).toBe(0);
  await context.close();
});

it.each([
  ['opens without asking for the notebook', 0, 0],
  ['asks for the notebook when the page is older than 10 s', 10_000, 1],
])('%s', async (_what, pageAge, asked) => {
  const { editToken } = await create();
  const context = await octavo.browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(age => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + age;
  }, pageAge);
  let reads = 0;
  page.on('request', request => {
    if (request.method() === 'GET' && new URL(request.url()).pathname === '/api/notebook') reads += 1;
  });
  await page.goto(`${octavo.origin}/e/${editToken}`);
  await expect.poll(() => page.locator('#markdown-field').inputValue()).toBe(markdown);
  expect(reads).toBe(asked);
  await context.close();
});
