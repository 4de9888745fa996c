import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { XmlDocument } from 'libxml2-wasm';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { borrowService } from '../support/lent-service.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const markdown = '# Frame me\n\nwords [out](https://example.org/) and [in](#frame-me)\n';
const wide = `${markdown}\n|${' a_long_name |'.repeat(20)}\n|${' - |'.repeat(20)}\n`;
let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app?.close());

const framed = (settings: object = {}) => app.create({ title: 'A & "B"', embedding: true, pages: [{ markdown }], ...settings });
const oembed = (query: Record<string, string>) => app.ask('GET', `/oembed?${new URLSearchParams(query)}`);
const viewOf = ({ slug }: CreatedNotebook) => `http://localhost/n/${slug}`;

describe('/n/{slug}/embed', () => {
  it.each(['public', 'unlisted'])(
    'of a %s notebook is not there until the owner switches it on, and gone once it is off',
    async visibility => {
      const made = await framed({ embedding: undefined, visibility });
      const status = async () => (await app.ask('GET', `/n/${made.slug}/embed`)).statusCode;
      const change = (embedding: boolean) =>
        app.ask('PATCH', `/api/notebooks/${made.slug}`, { token: made.editToken, body: { embedding } });
      expect(await status()).toBe(404);
      expect((await change(true)).json()).toMatchObject({ embedding: true });
      expect(await status()).toBe(200);
      await change(false);
      expect(await status()).toBe(404);
    },
  );

  it('alone may be framed, and holds no form', async () => {
    const made = await framed();
    const embed = await app.ask('GET', `/n/${made.slug}/embed`);
    expect(embed.headers['content-security-policy']).toMatch(/frame-ancestors \*;.*/);
    expect(embed.headers['content-security-policy']).toContain("form-action 'none'");
    expect(embed.headers['x-frame-options']).toBeUndefined();
    expect(embed.headers['x-robots-tag']).toBe('noindex');
    expect(embed.body).not.toContain('<form');
    for (const path of ['', '/print', '/report', '/edit']) {
      const other = await app.ask('GET', `/n/${made.slug}${path}`);
      expect(other.headers['content-security-policy'], path).toContain("frame-ancestors 'none'");
      expect(other.headers['x-frame-options'], path).toBe('DENY');
    }
  });

  it('brings the script that shows which tables scroll', async () => {
    const embed = await app.ask('GET', `/n/${(await framed()).slug}/embed`);
    expect(embed.body).toMatch(/<script type="module" src="[^"]*reader[^"]*">/);
    expect(embed.headers['content-security-policy']).toContain("script-src 'self'");
  });

  it('is an unlock form that no site can frame while the notebook is locked', async () => {
    const made = await framed({ password: 'key' });
    const answer = await app.ask('GET', `/n/${made.slug}/embed`);
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['x-frame-options']).toBe('DENY');
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  it('shows each page, and leads out of the frame', async () => {
    const made = await framed({ pages: [{ markdown }, { markdown: '# Second' }] });
    const first = (await app.ask('GET', `/n/${made.slug}/embed`)).body;
    expect(first).toContain('<a target="_blank" href="https://example.org/"');
    expect(first).toContain('<a href="#user-content-frame-me"');
    const second = `/n/${made.slug}/embed?page=${made.pages[1]!.id}`;
    expect(first).toContain(`href="${second}"`);
    expect((await app.ask('GET', second)).body).toContain('Second</h1>');
    expect((await app.ask('GET', `/n/${made.slug}/embed?page=none`)).statusCode).toBe(404);
  });

  it('leads out of the frame however a link is written, because our other pages refuse to be framed', async () => {
    const links = [
      '[here](/n/elsewhere)',
      '[bare](//example.org/x)',
      '<a title="x" href="https://example.org/">html</a>',
      '[mail](mailto:a@example.org)',
      '[up](#top)',
      '[next](second.md)',
    ];
    const made = await framed({ pages: [{ markdown: `# Top\n\n${links.join(' ')}` }, { title: 'Second', markdown: 'b' }] });
    const { body } = await app.ask('GET', `/n/${made.slug}/embed`);
    const targetOf = (words: string) => new RegExp(`<a ([^<>]*)>${words}</a>`).exec(body)?.[1]?.includes('target="_blank"');
    expect(['here', 'bare', 'html', 'mail', 'up', 'next'].map(targetOf)).toEqual([true, true, true, false, false, false]);
  });
});

describe('/oembed', () => {
  it('answers as the oEmbed specification §2.3.4 says of a rich type', async () => {
    const made = await framed();
    const answer = await oembed({ url: viewOf(made) });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json()).toMatchObject({ version: '1.0', type: 'rich', title: 'A & "B"', width: 640, height: 480 });
    expect(answer.json().html).toContain(`<iframe src="http://localhost/n/${made.slug}/embed" title="A &amp; &quot;B&quot;"`);
  });

  it('speaks XML, and keeps to the size that is asked for', async () => {
    const made = await framed();
    const answer = await oembed({
      url: `${viewOf(made)}/p/${made.pages[0]!.id}`,
      format: 'xml',
      maxwidth: '300',
      maxheight: '200',
    });
    expect(answer.headers['content-type']).toBe('text/xml; charset=utf-8');
    const document = XmlDocument.fromString(answer.body);
    const read = (name: string) => document.get(`/oembed/${name}`)?.content;
    expect([read('type'), read('width'), read('height'), read('title')]).toEqual(['rich', '300', '200', 'A & "B"']);
    expect(read('html')).toContain('width="300" height="200"');
    document.dispose();
  });

  it('shows the page whose link was asked for', async () => {
    const made = await framed({ pages: [{ markdown: '# One' }, { markdown: '# Zweite Seite' }] });
    const [first, second] = made.pages;
    const srcOf = async (path: string) => /src="([^"]*)"/.exec((await oembed({ url: viewOf(made) + path })).json().html)?.[1];
    const embed = `http://localhost/n/${made.slug}/embed`;
    expect(await srcOf(`/p/${second!.id}`)).toBe(`${embed}?page=${second!.id}`);
    expect(await srcOf('/p/zweite-seite#part')).toBe(`${embed}?page=${second!.id}`);
    expect(await srcOf(`/p/${first!.id}`)).toBe(embed);
    expect((await oembed({ url: `${viewOf(made)}/p/nothing` })).statusCode).toBe(404);
    expect((await oembed({ url: `${viewOf(made)}/p/%E0%A4%A` })).statusCode).toBe(404);
  });

  it('is found from the view of a notebook that may be framed, and from no other', async () => {
    const made = await framed();
    const { body } = await app.ask('GET', `/n/${made.slug}`);
    const href = /<link rel="alternate" type="application\/json\+oembed"[^>]* href="([^"]*)"/
      .exec(body)![1]!
      .replaceAll('&amp;', '&');
    expect((await app.ask('GET', new URL(href).pathname + new URL(href).search)).json()).toMatchObject({ type: 'rich' });
    expect((await app.ask('GET', `/n/${(await framed({ embedding: false })).slug}`)).body).not.toContain('oembed');
    expect((await app.ask('GET', `/n/${(await framed({ password: 'key' })).slug}`)).body).not.toContain('oembed');
  });

  it('tells nothing of what may not be framed', async () => {
    const hidden = [
      framed({ embedding: false }),
      framed({ password: 'key' }),
      framed({ visibility: 'private' }),
      framed({ burnAfterRead: true }),
    ];
    for (const made of await Promise.all(hidden)) {
      const answer = await oembed({ url: viewOf(made) });
      expect([answer.statusCode, answer.body.includes('Frame me')]).toEqual([404, false]);
    }
    const made = await framed();
    for (const url of [
      'http://localhost/',
      'http://other.example/n/x',
      viewOf(made).replace('localhost', 'localhost.evil.example'),
      'x',
    ])
      expect((await oembed({ url })).statusCode, url).toBe(404);
    expect((await oembed({})).statusCode).toBe(422);
    expect((await oembed({ url: viewOf(made), format: 'yaml' })).statusCode).toBe(501);
  });
});

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it('another site shows the embed, and cannot show the view', async () => {
    const service = await borrowService();
    const site = createServer((request, response) => {
      const src = new URL(request.url!, 'http://site').searchParams.get('src')!;
      response.setHeader('content-type', 'text/html').end(`<iframe id="frame" src="${src.replaceAll('"', '')}"></iframe>`);
    });
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
    try {
      const made = await service.create({ embedding: true, pages: [{ markdown }] });
      const page = await browser.newPage();
      const refused: string[] = [];
      page.on('console', message => refused.push(message.text()));
      const show = (path: string) =>
        page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/?src=${encodeURIComponent(service.origin + path)}`);
      await show(`/n/${made.slug}/embed`);
      await page.frameLocator('#frame').getByRole('heading', { name: 'Frame me' }).waitFor();
      await show(`/n/${made.slug}`);
      await expect.poll(() => refused.join('\n')).toMatch(/frame-ancestors/);
      await expect.poll(() => page.frameLocator('#frame').getByRole('heading', { name: 'Frame me' }).count()).toBe(0);
    } finally {
      await new Promise(resolve => site.close(resolve));
    }
  });

  it('is shown in its own style where the other site sandboxes it', async () => {
    const service = await borrowService();
    const made = await service.create({ embedding: true, pages: [{ markdown: wide }] });
    const html = `<iframe sandbox="allow-scripts" src="${service.origin}/n/${made.slug}/embed"></iframe>`;
    const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
    try {
      const page = await browser.newPage();
      const failed: string[] = [];
      page.on('requestfailed', request => failed.push(new URL(request.url()).pathname));
      page.on('pageerror', error => failed.push(String(error)));
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      const main = page.frameLocator('iframe').locator('main');
      await expect.poll(() => main.evaluate(element => getComputedStyle(element).maxWidth)).not.toBe('none');
      // Its scripts run, too: without them nobody could scroll the table by keyboard.
      await page.setViewportSize({ width: 320, height: 600 });
      await expect.poll(() => main.locator('table').getAttribute('tabindex')).toBe('0');
      expect(failed).toEqual([]);
      await page.close();
    } finally {
      await new Promise(resolve => site.close(resolve));
    }
  });
});
