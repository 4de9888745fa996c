import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexAll } from '../store/contract/subject.ts';
import { engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

interface Item {
  slug: string;
  pageId: string;
  title: string;
  notebookTitle: string;
  url: string;
  snippet: { text: string; hit: boolean }[];
  updatedAt: string;
}

describe.each(engines)('search through the whole service on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  const publish = (markdown: string, over: object = {}) => app.create({ visibility: 'public', pages: [{ markdown }], ...over });
  const search = async (q: string, more = ''): Promise<{ items: Item[]; page: number; more: boolean }> => {
    await indexAll(app.parts.store);
    return (await app.ask('GET', `/api/search?q=${encodeURIComponent(q)}${more}`)).json();
  };
  const slugsOf = async (q: string) => (await search(q)).items.map(({ slug }) => slug);
  const settings = ({ slug, editToken }: CreatedNotebook, body: object) =>
    app.ask('PATCH', `/api/notebooks/${slug}`, { body, token: editToken });
  const html = async (q: string, more = '') => {
    await indexAll(app.parts.store);
    return app.ask('GET', `/search?q=${encodeURIComponent(q)}${more}`);
  };

  it('asks the index at most four times at once, however many search, and answers all', async () => {
    await publish('a quincunx');
    const { store } = app.parts;
    const real = store.searchPublic;
    const held: (() => void)[] = [];
    let most = 0;
    let underWay = 0;
    store.searchPublic = async query => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>(resolve => held.push(resolve));
      return real(query).finally(() => (underWay -= 1));
    };
    try {
      await indexAll(store);
      const answers = Promise.all(Array.from({ length: 12 }, () => app.ask('GET', '/api/search?q=quincunx')));
      for (let released = 0; released < 12; released += 1) {
        await expect.poll(() => held.length, { timeout: 10_000 }).toBe(Math.min(4, 12 - released));
        held.shift()!();
      }
      for (const answer of await answers) expect(answer.json().items).toHaveLength(1);
    } finally {
      store.searchPublic = real;
      for (const release of held) release();
    }
    expect(most).toBe(4);
  });

  it('answers what the contract says', async () => {
    const { slug, pages } = await app.create({
      visibility: 'public',
      title: 'Travel book',
      pages: [{ markdown: '# Start\n' }, { markdown: '# Zürich\n\nA **Café** by the [lake](https://lake.example).' }],
    });
    await indexAll(app.parts.store);
    const answer = await app.ask('GET', '/api/search?q=cafe');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toEqual({
      items: [
        {
          slug,
          pageId: pages[1]!.id,
          title: 'Zürich',
          notebookTitle: 'Travel book',
          url: `http://localhost/n/${slug}/p/${pages[1]!.id}`,
          snippet: [
            { text: 'A ', hit: false },
            { text: 'Café', hit: true },
            { text: ' by the lake.', hit: false },
          ],
          updatedAt: '2026-03-01T12:00:00.000Z',
        },
      ],
      page: 1,
      more: false,
    });
    const [first] = (await search('travel book start')).items;
    expect(first).toMatchObject({ pageId: pages[0]!.id, url: `http://localhost/n/${slug}` });
  });

  it('finds CJK, two letters and several words, and marks each of them', async () => {
    const { slug } = await publish('# 会議\n\n東京で会う。 Use the UK keyboard, 日本語 too.');
    const hitsOf = async (q: string) => {
      const { items } = await search(q);
      return items.find(item => item.slug === slug)?.snippet.flatMap(({ text, hit }) => (hit ? [text] : []));
    };
    expect(await hitsOf('東京')).toEqual(['東京']);
    expect(await hitsOf('会')).toEqual(['会']);
    expect(await hitsOf('uk')).toEqual(['UK']);
    expect(await hitsOf('keyboard 日本語')).toEqual(['keyboard', '日本語']);
    expect(await hitsOf('keyboard 中国')).toBeUndefined();
  });

  it('pages by twenty, in both forms', async () => {
    for (let made = 0; made < 45; made++) await publish(`paginated ${made}`);
    await indexAll(app.parts.store);
    const pages = await Promise.all([1, 2, 3, 4].map(page => search('paginated', `&page=${page}`)));
    expect(pages.map(({ items, more, page }) => [page, items.length, more])).toEqual([
      [1, 20, true],
      [2, 20, true],
      [3, 5, false],
      [4, 0, false],
    ]);
    expect(new Set(pages.flatMap(({ items }) => items.map(({ slug }) => slug))).size).toBe(45);
    const second = await html('paginated', '&page=2');
    expect(second.body.match(/<h3/g)).toHaveLength(20);
    expect(second.body).toContain('href="/search?q=paginated"');
    expect(second.body).toContain('href="/search?q=paginated&amp;page=3"');
  });

  it('forgets a notebook at once when it stops being public, in every list', async () => {
    const word = 'disappearing';
    const doors = async () => {
      const [found, page, sitemap, llms, full] = await Promise.all([
        search(word).then(({ items }) => items.length > 0),
        html(word).then(({ body }) => body.includes('<h3')),
        app.ask('GET', '/sitemap.xml').then(({ body }) => body.includes('vanishing-act')),
        app.ask('GET', '/llms.txt').then(({ body }) => body.includes('vanishing-act')),
        app.ask('GET', '/llms-full.txt').then(({ body }) => body.includes(word)),
      ]);
      return { found, page, sitemap, llms, full };
    };
    const everywhere = { found: true, page: true, sitemap: true, llms: true, full: true };
    const nowhere = { found: false, page: false, sitemap: false, llms: false, full: false };
    const own = await publish(`${word} text`, { slug: 'vanishing-act' });
    expect(await doors()).toEqual(everywhere);
    const turns: [object, object][] = [
      [{ visibility: 'unlisted' }, { visibility: 'public' }],
      [{ visibility: 'private' }, { visibility: 'public' }],
      [{ password: 'secret' }, { password: null }],
      [{ burnAfterRead: true }, { burnAfterRead: false }],
    ];
    for (const [away, back] of turns) {
      expect((await settings(own, away)).statusCode).toBe(200);
      expect(await doors(), JSON.stringify(away)).toEqual(nowhere);
      expect((await settings(own, back)).statusCode).toBe(200);
      expect(await doors(), JSON.stringify(back)).toEqual(everywhere);
    }
    await settings(own, { expiresIn: '1h' });
    app.clock.now += 3_600_000 - 1;
    expect(await doors()).toEqual(everywhere);
    app.clock.now += 1;
    expect(await doors()).toEqual(nowhere);
    await settings(own, { expiresAt: null });
    expect(await doors()).toEqual(everywhere);
    await app.ask('DELETE', `/api/notebooks/${own.slug}`, { token: own.editToken });
    expect(await doors()).toEqual(nowhere);
  });

  it('follows the text: what was changed is found, what was there is not', async () => {
    const { slug, editToken, pages } = await publish('aardvark');
    await app.ask('PATCH', `/api/notebooks/${slug}/pages/${pages[0]!.id}`, {
      body: { markdown: 'zebrafinch' },
      token: editToken,
    });
    expect([await slugsOf('aardvark'), await slugsOf('zebrafinch')]).toEqual([[], [slug]]);
  });

  it('shows text as text: nothing of a note is markup in the page', async () => {
    await publish(
      '# <i>needle</i> & "quotes"\n\nneedle <script>alert(1)</script> &lt;b&gt; &amp; `<img src=x onerror=alert(2)>`',
      {
        title: '<svg onload=alert(3)>',
      },
    );
    const { body, headers } = await html('needle');
    const list = body.slice(body.indexOf('<ol>'), body.indexOf('</ol>'));
    expect(list.replace(/<\/?(?:ol|li|h3|a|p|mark|bdi|time)(?: (?:href|dir|class|datetime|title)="[^"<>]*")*>/g, '')).not.toMatch(
      /</,
    );
    expect(list).toContain('<mark>needle</mark>');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    const reflected = await html('"><script>alert(1)</script>');
    expect(reflected.body).not.toContain('<script>alert');
  });

  it('shows a form without a question, and says when nothing was found', async () => {
    for (const path of ['/search', '/search?q=', '/search?q=%20%20', '/search?utm_source=x']) {
      const { statusCode, body, headers } = await app.ask('GET', path);
      expect(statusCode).toBe(200);
      expect(body).toContain('<form class="field" action="/search" method="get">');
      expect(body).toContain('<link rel="canonical" href="http://localhost/search"');
      expect(headers['x-robots-tag']).toBeUndefined();
    }
    const none = await html('nosuchwordanywhere');
    expect(none.statusCode).toBe(200);
    expect(none.body).toContain('No public notebook holds');
    expect(none.headers['x-robots-tag']).toBe('noindex, nofollow');
    expect(none.body).not.toContain('rel="canonical"');
  });

  const bad: [what: string, query: string, status: number, path: string | undefined][] = [
    ['no question', '', 422, 'q'],
    ['an empty question', '?q=', 422, 'q'],
    ['only spaces', '?q=%20%E3%80%80', 422, 'q'],
    ['201 characters', `?q=${'x'.repeat(201)}`, 422, 'q'],
    ['201 characters beyond the first plane', `?q=${encodeURIComponent('𠮷'.repeat(201))}`, 422, 'q'],
    ['two questions', '?q=a&q=b', 422, 'q'],
    ['page zero', '?q=abc&page=0', 422, 'page'],
    ['page 51', '?q=abc&page=51', 422, 'page'],
    ['a word for a page', '?q=abc&page=two', 422, 'page'],
    ['a fraction for a page', '?q=abc&page=1.5', 422, 'page'],
    ['a negative page', '?q=abc&page=-1', 422, 'page'],
    ['an unknown name', '?q=abc&limit=100', 422, 'limit'],
    ['a NUL', '?q=a%00b', 400, undefined],
    ['bytes that are not UTF-8', '?q=caf%E9', 400, undefined],
    ['a lone surrogate in UTF-8', '?q=%ED%A0%80', 400, undefined],
  ];

  it.each(bad)('refuses %s', async (_, query, status, path) => {
    const answer = await app.ask('GET', `/api/search${query}`);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    if (path !== undefined) expect(answer.json().errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });

  it('takes exactly 200 characters, and 50 pages', async () => {
    expect((await app.ask('GET', `/api/search?q=${encodeURIComponent('𠮷'.repeat(200))}&page=50`)).statusCode).toBe(200);
    expect((await app.ask('GET', '/api/search?q=a%20%22%20OR%20*%20NEAR(%20col:x%20-y%20%5Ez%20%27')).statusCode).toBe(200);
  });

  it('says on the page what is wrong with a question', async () => {
    for (const [query, fault] of [
      [`?q=${'x'.repeat(201)}`, 'at most 200 characters'],
      ['?q=abc&page=51', 'from 1 to 50'],
      ['?q=abc&page=two', 'from 1 to 50'],
    ] as const) {
      const { statusCode, body } = await app.ask('GET', `/search${query}`);
      expect(statusCode).toBe(422);
      expect(body).toContain(fault);
      expect(body).toContain('<form class="field" action="/search"');
    }
  });

  it('is in the description of the API', async () => {
    const { paths } = (await app.ask('GET', '/api/openapi.json')).json();
    expect(paths['/api/search'].get.parameters.map(({ name }: { name: string }) => name)).toEqual(['q', 'page']);
  });
});
