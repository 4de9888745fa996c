import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { extract, setProviderList } from '@extractus/oembed-extractor';
import { parseManifest } from 'lighthouse/core/lib/manifest-parser.js';
import readCard from 'open-graph-scraper';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

/** What others read with: programs that ask for cards, frames, feeds and manifests every day. */
let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app?.close());

const title = 'Field notes <1> & “more”';
const pages = [{ markdown: '# Wintergreen\n\nFirst words & <b>more</b> of it' }, { markdown: '# Other' }];

describe('a card, read by open-graph-scraper', () => {
  it.each([
    ['public', 'unlisted'],
    ['unlisted', 'public'],
  ])('of a %s notebook is whole, and its picture is what it says', async visibility => {
    const made = await app.create({ visibility, title, pages });
    const { body } = await app.ask('GET', `/n/${made.slug}`);
    const { error, result } = await readCard({ html: body });
    expect(error).toBe(false);
    expect(result).toMatchObject({
      success: true,
      ogType: 'article',
      ogSiteName: 'Octavo',
      ogTitle: `Wintergreen · ${title}`,
      ogDescription: '2 pages. First words & more of it',
      ogUrl: `http://localhost/n/${made.slug}`,
      twitterCard: 'summary_large_image',
    });
    const [image, ...others] = result.ogImage ?? [];
    expect(others).toEqual([]);
    const picture = await app.ask('GET', image!.url.replace('http://localhost', ''));
    const { format, width, height } = await sharp(picture.rawPayload).metadata();
    expect(image).toMatchObject({ type: `image/${format}`, width: String(width), height: String(height) });
    // The largest that the chats take is 5 MB, the smallest limit among them 300 kB.
    expect(picture.rawPayload.length).toBeLessThan(300_000);
  });
});

describe('a frame, asked for by oembed-extractor', () => {
  const view = (slug: string) => `http://localhost/n/${slug}`;
  const fetcher = async (url: string) => {
    const answer = await app.ask('GET', url.replace('http://localhost', ''));
    return new Response(answer.body, {
      status: answer.statusCode,
      headers: { 'content-type': String(answer.headers['content-type']) },
    });
  };
  beforeAll(() =>
    setProviderList([
      {
        provider_name: 'Octavo',
        provider_url: 'http://localhost/',
        endpoints: [{ schemes: ['http://localhost/n/*'], url: 'http://localhost/oembed' }],
      },
    ]),
  );

  it('has all that oEmbed 1.0 demands of a rich answer, and no more room than was given', async () => {
    const made = await app.create({ title, pages, embedding: true });
    const answer = await extract(view(made.slug), { maxwidth: 400, maxheight: 300 }, fetcher);
    // oembed.com, 2.3.4.1 and 2.3.4.4
    expect(answer).toMatchObject({ type: 'rich', version: '1.0', title, provider_name: 'Octavo', width: 400, height: 300 });
    expect(answer.html).toMatch(/^<iframe src="http:\/\/localhost\/n\/[a-z0-9]+\/embed"/);
  });

  it('is refused while the owner has not switched it on', async () => {
    const made = await app.create({ title, pages });
    await expect(extract(view(made.slug), {}, fetcher)).rejects.toThrow();
  });
});

describe('the web manifest, read by the parser of Lighthouse', () => {
  it('has no field that a browser would ignore', async () => {
    const text = readFileSync(fileURLToPath(new URL('../../public/site.webmanifest', import.meta.url)), 'utf8');
    const { value, warning } = parseManifest(text, 'http://localhost/site.webmanifest', 'http://localhost/');
    expect(warning).toBeUndefined();
    const warnings = Object.entries(value ?? {}).flatMap(([name, field]) => (field.warning ? [`${name}: ${field.warning}`] : []));
    expect(warnings).toEqual([]);
    expect(value!.icons.value.map(icon => icon.value)).toEqual(
      expect.arrayContaining([expect.objectContaining({ sizes: expect.objectContaining({ value: ['512x512'] }) })]),
    );
    for (const { value: icon } of value!.icons.value) {
      const { pathname } = new URL(icon.src.value!);
      expect([pathname, (await app.ask('GET', pathname)).statusCode]).toEqual([pathname, 200]);
    }
  });
});

const reader =
  'import feedparser, json, sys; f = feedparser.parse(sys.stdin.buffer.read()); print(json.dumps([f.bozo, f.version, f.feed.get("title"), [[e.get("id"), e.get("title"), e.get("updated"), e.get("link"), e.get("summary")] for e in f.entries]]))';
const hasReader = spawnSync('/usr/bin/python3', ['-c', 'import feedparser']).status === 0;

const validator =
  'require "rss"; f = RSS::Parser.parse($stdin.read, validate: true, ignore_unknown_element: false); puts [f.feed_type, f.feed_version, f.entries.size].join(" ")';
const hasValidator = spawnSync('/usr/bin/ruby', ['-e', 'require "rss"']).status === 0;

describe.skipIf(hasValidator ? undefined : 'Ruby’s RSS library is not installed (Debian: ruby)')(
  'feeds, validated by Ruby’s RSS library',
  () => {
    const validate = (xml: string) => {
      const { status, stdout, stderr } = spawnSync('/usr/bin/ruby', ['-e', validator], { input: xml });
      return status === 0 ? String(stdout).trim() : /\((RSS::\w+)\)/.exec(String(stderr))?.[1];
    };

    it('have every element that RFC 4287 demands, none twice, none that it does not know', async () => {
      const made = await app.create({ visibility: 'public', title, pages });
      const feed = (await app.ask('GET', `/n/${made.slug}/feed.atom`)).body;
      expect(validate(feed)).toBe('atom 1.0 2');
      expect(validate((await app.ask('GET', '/feed.atom')).body)).toMatch(/^atom 1\.0 [1-9]/);
      expect(validate(feed.replace(/<id>[^<]*<\/id>/, ''))).toBe('RSS::MissingTagError');
      expect(validate(feed.replace(/(<id>[^<]*<\/id>)/, '$1$1'))).toBe('RSS::TooMuchTagError');
    });
  },
);

describe.skipIf(hasReader ? undefined : 'feedparser for Python is not installed')('feeds, read by feedparser', () => {
  const read = (xml: string) => JSON.parse(String(spawnSync('/usr/bin/python3', ['-c', reader], { input: xml }).stdout));

  it('of a notebook is Atom 1.0 without a fault, each entry with its text', async () => {
    const made = await app.create({ visibility: 'public', title, pages: [{ markdown: '# A & B\n\nfirst ]]> *words*\u0001' }] });
    const feed = (await app.ask('GET', `/n/${made.slug}/feed.atom`)).body;
    const link = `http://localhost/n/${made.slug}`;
    expect(read(feed)).toEqual([
      false,
      'atom10',
      title,
      [
        [
          `${link}/p/${made.pages[0]!.id}`,
          'A & B',
          new Date(app.clock.now).toISOString(),
          link,
          expect.stringContaining('first ]]> words'),
        ],
      ],
    ]);
  });

  it('of the public notebooks is Atom 1.0 without a fault', async () => {
    await app.create({ visibility: 'public', title: 'Wood notes' });
    const [bozo, version, , entries] = read((await app.ask('GET', '/feed.atom')).body);
    expect([bozo, version]).toEqual([false, 'atom10']);
    expect(entries.map((entry: string[]) => entry[1])).toContain('Wood notes');
  });

  it('is told of a fault by it', () =>
    expect(read('<feed xmlns="http://www.w3.org/2005/Atom"><title>&</title></feed>')[0]).not.toBe(false));
});
