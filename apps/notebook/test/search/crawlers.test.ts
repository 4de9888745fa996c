import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { RouteContext } from '../../src/routes/context.ts';
import { sitemapRoutes } from '../../src/routes/sitemap.ts';
import { landingTexts, questions } from '../../src/routes/written-content.ts';
import { urls } from '../../src/urls.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

/** What may not be listed anywhere, by the settings that make it so. */
const hidden: [state: string, settings: object][] = [
  ['unlisted', { visibility: 'unlisted' }],
  ['private', { visibility: 'private' }],
  ['locked', { visibility: 'public', password: 'open sesame' }],
  ['burn-after-read', { visibility: 'public', burnAfterRead: true }],
  ['expired', { visibility: 'public', expiresIn: '1h' }],
];
const secret = 'Wintergreen';

describe.each(engines)('what crawlers are given on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
    for (const [state, settings] of hidden) {
      await app.create({ slug: `hidden-${state}`, title: secret, pages: [{ markdown: `${secret} text` }], ...settings });
    }
    app.clock.now += 2 * 3_600_000;
    const down = await app.create({ slug: 'hidden-down', title: secret, pages: [{ markdown: secret }], visibility: 'public' });
    await app.parts.store.takeDown(down.slug, app.clock.now);
    await app.create({
      slug: 'open-book',
      title: 'Open [book] *now*',
      pages: [{ markdown: 'one' }, { markdown: 'two' }],
      visibility: 'public',
    });
  });
  afterAll(() => app.close());

  const textOf = async (path: string) => {
    const answer = await app.ask('GET', path);
    expect(answer.statusCode).toBe(200);
    return answer.body;
  };
  const locations = (xml: string) => [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, location]) => location);

  it.each(['/sitemap.xml', '/llms.txt', '/llms-full.txt', '/search?q=wintergreen', '/api/search?q=wintergreen', '/'])(
    '%s says nothing of what may not be listed',
    async path => {
      const body = await textOf(path);
      expect(body).not.toContain('hidden-');
      expect(body).not.toContain(secret);
    },
  );

  it('lists the pages of public notebooks and the fixed pages in the sitemap, with the time of their last change', async () => {
    const answer = await app.ask('GET', '/sitemap.xml');
    expect(answer.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
    const found = locations(answer.body);
    const { pages } = (await app.ask('GET', '/api/notebooks/open-book')).json();
    const fixed = ['/', '/new', '/quick', '/search', ...Object.values(urls.landing).map(path => path())];
    expect(found).toEqual([...fixed, '/n/open-book', `/n/open-book/p/${pages[1].id}`].map(path => `http://localhost${path}`));
    expect(answer.body).toContain('<loc>http://localhost/n/open-book</loc><lastmod>2026-03-01T14:00:00.000Z</lastmod>');
    expect((await app.ask('GET', '/sitemap-1.xml')).statusCode).toBe(404);
    for (const location of found) expect((await app.ask('GET', new URL(location!).pathname)).statusCode, location).toBe(200);
  });

  it('names the sitemap in robots.txt, and closes what has nothing to crawl', async () => {
    expect((await textOf('/robots.txt')).split('\n')).toEqual([
      'User-agent: *',
      'Disallow: /api/',
      'Disallow: /e/',
      'Disallow: /edit/',
      '',
      'Sitemap: http://localhost/sitemap.xml',
      '',
    ]);
  });

  it('lists public notebooks as markdown in llms.txt, whatever their titles hold', async () => {
    const text = await textOf('/llms.txt');
    expect(text).toMatch(/^# Octavo\n\n> /);
    expect(text).toContain('- [Open \\[book\\] \\*now\\*](http://localhost/n/open-book.md): 2 pages, changed 2026-03-01\n');
    expect(text).not.toContain('{publicUrl}');
    for (const [, link] of text.matchAll(/\]\(http:\/\/localhost([^)]*)\)/g)) {
      expect((await app.ask('GET', link!)).statusCode, link).toBe(200);
    }
  });

  it('says in llms.txt how a notebook is read as Markdown', async () => {
    const [, said] = /`([^`]*\{slug\})` with `Accept: text\/markdown`/.exec(await textOf('/llms.txt')) ?? [];
    const address = said?.replace('{slug}', 'open-book');
    for (const [path, headers] of [
      ['/n/open-book.md', {}],
      [address, { accept: 'text/markdown' }],
    ] as const) {
      const answer = await app.ask('GET', path ?? '/llms.txt', { headers });
      expect([path, answer.statusCode, answer.headers['content-type']]).toEqual([path, 200, 'text/markdown; charset=utf-8']);
    }
  });

  it('gives the text of public notebooks in llms-full.txt, up to its bound', async () => {
    const long = await app.create({ slug: 'long-book', pages: [], title: 'Long', visibility: 'public' });
    for (let page = 0; page < 3; page++) {
      const body = { markdown: `${'word '.repeat(limits.maxMarkdownBytes / 5 - 1)}` };
      await app.ask('POST', `/api/notebooks/${long.slug}/pages`, { body, token: long.editToken });
    }
    const text = await textOf('/llms-full.txt');
    expect(text).toContain(
      '# Open \\[book\\] \\*now\\*\n\nFrom http://localhost/n/open-book.md, changed 2026-03-01.\n\none\n\n---\n\ntwo\n',
    );
    expect(text).toContain('From http://localhost/n/long-book.md, changed 2026-03-01.\n\nToo long for this file');
    expect(Buffer.byteLength(text)).toBeLessThan(limits.maxLlmsFullBytes);

    for (let made = 0; made < 3; made++) {
      const slug = `filler-${made}`;
      await app.create({ slug, pages: [{ markdown: `${slug} ${'x'.repeat(900_000)}` }], visibility: 'public' });
    }
    const bounded = await textOf('/llms-full.txt');
    expect(Buffer.byteLength(bounded)).toBeLessThan(limits.maxLlmsFullBytes + 2_000);
    expect(bounded.match(/filler-\d x/g)).toHaveLength(2);
  });

  describe('a sitemap of many files', () => {
    let server: FastifyInstance;
    const slugs = Array.from({ length: 40 }, (_, at) => `listed-${at}`);
    const linksPerFile = 20;
    beforeAll(async () => {
      for (const slug of slugs) {
        app.clock.now += 1_000;
        await app.create({ slug, pages: [{ markdown: 'a' }, { markdown: 'b' }, { markdown: 'c' }], visibility: 'public' });
      }
      server = Fastify();
      server.setErrorHandler((error, _request, reply) => reply.code(error instanceof Refusal ? error.status : 500).send(''));
      sitemapRoutes(server, { parts: app.parts, site: { publicUrl: 'http://localhost' } } as RouteContext, linksPerFile);
    });
    afterAll(() => server.close());

    const fileAt = async (path: string) => (await server.inject({ url: path })).body;
    const files = async () => locations(await fileAt('/sitemap.xml')).map(location => new URL(location!).pathname);

    it('is an index of files that are each small enough, and hold every link once', async () => {
      // The most that the protocol allows (sitemaps.org).
      expect(limits.maxSitemapLinks).toBeLessThanOrEqual(50_000);
      expect(await fileAt('/sitemap.xml')).toContain('<sitemapindex');
      const paths = await files();
      expect(paths.length).toBeGreaterThan(5);
      expect(paths[0]).toBe('/sitemap-1.xml');
      const links: (string | undefined)[] = [];
      for (const path of paths) {
        const found = locations(await fileAt(path));
        expect(found.length).toBeGreaterThan(0);
        expect(found.length).toBeLessThanOrEqual(linksPerFile);
        links.push(...found);
      }
      expect(new Set(links).size).toBe(links.length);
      for (const slug of slugs) expect(links.filter(link => link!.startsWith(`http://localhost/n/${slug}/`))).toHaveLength(2);
      expect((await server.inject({ url: `/sitemap-${paths.length + 1}.xml` })).statusCode).toBe(404);
      expect((await server.inject({ url: '/sitemap-0.xml' })).statusCode).toBe(404);
    });

    it('leaves out at once what stopped being public after the index was made, and moves nothing between the files', async () => {
      const paths = await files();
      await app.parts.store.takeDown('listed-7', app.clock.now);
      const links = (await Promise.all(paths.map(fileAt))).flatMap(locations);
      expect(links.filter(link => link!.includes('/n/listed-7'))).toEqual([]);
      expect(links).toContain('http://localhost/n/listed-8');
      expect(new Set(links).size).toBe(links.length);
    });
  });

  describe('the view of a notebook', () => {
    const view = (slug: string) => app.ask('GET', `/n/${slug}`);

    it('has a canonical link and a preview card when it is public', async () => {
      const { body, headers } = await view('open-book');
      expect(headers['x-robots-tag']).toBeUndefined();
      expect(body).not.toContain('content="noindex"');
      expect(body).toContain('<link rel="canonical" href="http://localhost/n/open-book"');
      expect(body).toMatch(/<meta property="og:title" content="[^"]*Open \[book\]/);
      expect(body).toMatch(/<meta property="og:description" content="2 pages\. one"/);
    });

    it.each(hidden)('is canonical nowhere when it is %s, and says noindex', async state => {
      const { body, headers } = await view(`hidden-${state}`);
      expect(headers['x-robots-tag']).toContain('noindex');
      expect(body).toContain('<meta name="robots" content="noindex"');
      expect(body).not.toMatch(/rel="canonical"|name="description"|application\/atom/);
      // An unlisted one is read by who has its link; the others show nothing at all.
      if (state !== 'unlisted') expect(body).not.toContain(secret);
    });

    it.each(['', '/print', '.md', '/edit'])('shows a stranger nothing of a locked or burn-after-read one at %s', async door => {
      for (const state of ['locked', 'burn-after-read', 'private', 'expired']) {
        const { body } = await app.ask('GET', `/n/hidden-${state}${door}`);
        expect(body, state).not.toContain(secret);
      }
    });
  });

  it.each(['/', '/new', '/quick', '/search'])('%s names its own address as the canonical one', async path => {
    expect(await textOf(path)).toContain(`<link rel="canonical" href="http://localhost${path}"`);
  });

  describe('the topic pages', () => {
    it.each(Object.entries(landingTexts))('%s is rendered, canonical and described', async (name, { title, description }) => {
      const path = urls.landing[name as keyof typeof urls.landing]();
      const { statusCode, body, headers } = await app.ask('GET', path);
      expect(statusCode).toBe(200);
      expect(headers['x-robots-tag']).toBeUndefined();
      expect(body).toContain(`<title>${title} · Octavo</title>`);
      expect(body).toContain(`<link rel="canonical" href="http://localhost${path}"`);
      expect(body).toContain(`<meta name="description" content="${description}"`);
      expect(body.match(/<h1/g)).toHaveLength(1);
      expect(body).not.toContain('{publicUrl}');
      const etag = headers.etag as string;
      expect((await app.ask('GET', path, { headers: { 'if-none-match': etag } })).statusCode).toBe(304);
    });

    it('are linked from the foot of the home page, and from each other', async () => {
      const paths = Object.values(urls.landing).map(path => path());
      for (const from of ['/', ...paths]) {
        const body = await textOf(from);
        for (const path of paths) if (path !== from) expect(body).toContain(`href="${path}"`);
      }
    });

    it.each(Object.values(urls.landing).map(path => path().slice(1)))(
      'nobody can take %s as the address of a notebook',
      async slug => {
        expect((await app.ask('GET', `/api/slugs/${slug}`)).json()).toMatchObject({ available: false, reason: 'reserved' });
      },
    );
  });

  it('answers the questions on the home page, for people and as FAQPage', async () => {
    const body = await textOf('/');
    const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(body)!;
    const data = JSON.parse(json!);
    expect(data).toMatchObject({ '@context': 'https://schema.org', '@type': 'FAQPage' });
    expect(data.mainEntity.map(({ name }: { name: string }) => name)).toEqual(questions.map(({ question }) => question));
    expect(data.mainEntity.map((entity: { acceptedAnswer: { text: string } }) => entity.acceptedAnswer.text)).toEqual(
      questions.map(({ answer }) => answer),
    );
    for (const { question } of questions) expect(body).toContain(`<summary>${question}</summary>`);
  });
});
