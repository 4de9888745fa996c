import sharp from 'sharp';
import { ask, hold } from './ask.ts';
import { bursts } from './bursts.ts';
import {
  type Attack,
  create,
  fillWithComments,
  flood,
  get,
  type Made,
  mebibyte,
  over,
  randomWords,
  rest,
  times,
} from './hostile-client.ts';

function onTexts(
  name: string,
  texts: (round: number) => string[],
  paths: (made: Made) => string[],
  settings: object = {},
): Attack {
  return {
    name,
    async run(hostile) {
      await flood(hostile, 2, async round => {
        const made = await create(hostile, { ...settings, pages: texts(round).map(markdown => ({ markdown })) });
        if (!made) return;
        const { port, from, signal } = hostile;
        await Promise.all(paths(made).map(path => ask(port, { path, from, signal })));
      });
    },
  };
}

const views = ({ slug, pages }: Made) => pages.map(page => `/n/${slug}/p/${page}`);
const doors = ({ slug }: Made) => ['', '.md', '/print', '/find?q=x'].map(end => `/n/${slug}${end}`);

let avif: Promise<Buffer> | undefined;

/** About a kilobyte that decodes to 25 megapixels. */
function largePicture(): Promise<Buffer> {
  avif ??= sharp({ create: { width: 5_000, height: 5_000, channels: 3, background: '#345' } })
    .avif({ effort: 0 })
    .toBuffer();
  return avif;
}

export const attacks: readonly Attack[] = [
  onTexts('spaces, then |x, 1 MiB', () => [`${' '.repeat(mebibyte - 10)}|x`], doors),
  onTexts('newlines, then x, 1 MiB', () => [`${'\n'.repeat(mebibyte - 10)}x`], doors),
  onTexts('runs of combining marks, public', () => [`a${'\u0301'.repeat(400_000)}`], doors, { visibility: 'public' }),
  onTexts(
    '140 pages of lazy lines, looked at',
    round => times(140, page => `- a ${round} ${page}\n${'b\n'.repeat(19_000)}`),
    views,
  ),
  onTexts('nearly e-mail addresses, 200 kB', round => times(8, page => `${round} ${page} ${'a.'.repeat(100_000)}@`), views),
  onTexts(
    'emphasis in emphasis, 40 kB',
    round => times(30, page => `${round} ${page} ${'*a **a '.repeat(2_800)}b${' a** a*'.repeat(2_800)}`),
    views,
  ),
  onTexts('headings that become 5 million characters', round => [`# ${round}\n\n${'a\n-\n'.repeat(40_000)}`], views),
  onTexts('ten pages of 1 MiB of words, printed', () => times(9, () => randomWords(mebibyte - 100)), doors),
  onTexts(
    'control characters that JSON makes six times as long',
    () => times(9, () => '\u0001'.repeat(mebibyte - 100)),
    ({ slug }) => [`/api/notebooks/${slug}`, `/n/${slug}.md`],
  ),
  {
    name: 'thirty searches in 10 MiB at once',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, { pages: times(100, () => randomWords(75_000)).map(markdown => ({ markdown })) });
      if (made) await flood(hostile, 30, () => ask(port, { path: `/n/${made.slug}/find?q=z`, from, signal }));
    },
  },
  {
    name: 'to public and back, 100 pages of random words',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, { pages: times(100, () => randomWords(65_000)).map(markdown => ({ markdown })) });
      if (!made) return;
      await flood(hostile, 1, round =>
        ask(port, {
          method: 'PATCH',
          path: `/api/notebooks/${made.slug}`,
          from,
          signal,
          token: made.token,
          body: JSON.stringify({ visibility: round % 2 ? 'unlisted' : 'public' }),
        }),
      );
    },
  },
  {
    name: 'forty new passwords at once',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, {});
      if (!made) return;
      const path = `/api/notebooks/${made.slug}`;
      await flood(hostile, 40, round =>
        ask(port, { method: 'PATCH', path, from, signal, token: made.token, body: JSON.stringify({ password: `p${round}` }) }),
      );
    },
  },
  {
    name: 'a page of 1 MiB saved over and over',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, {});
      if (!made) return;
      const path = `/api/notebooks/${made.slug}/pages/${made.pages[0]}`;
      const text = randomWords(mebibyte - 200);
      await flood(hostile, 4, round =>
        ask(port, {
          method: 'PATCH',
          path,
          from,
          signal,
          token: made.token,
          body: JSON.stringify({ markdown: `${round} ${text}` }),
        }),
      );
    },
  },
  {
    name: 'JSON of two million values',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const bodies = [
        `{"pages":[${'1,'.repeat(2_000_000)}1]}`,
        `{"pages":[${'{"a":1},'.repeat(900_000)}1]}`,
        '['.repeat(4_000_000),
      ];
      await flood(hostile, 2, round =>
        ask(port, { method: 'POST', path: '/api/notebooks', from, signal, body: bodies[round % 3]! }),
      );
    },
  },
  {
    name: 'sixty bodies of 8 MiB kept back',
    async run({ port, from, signal }) {
      const head = `POST /api/quick HTTP/1.1\r\nhost: x\r\ncontent-type: text/markdown\r\ncontent-length: ${8 * mebibyte}\r\n\r\n`;
      const text = Buffer.concat([Buffer.from(head), Buffer.alloc(8 * mebibyte - 1, 'a')]);
      // From fifteen addresses, so that no bound of one address helps.
      const net = from.split('.').slice(0, 3).join('.');
      for (let index = 0; index < 60 && !signal.aborted; index += 1) {
        hold(port, `${net}.${(index % 15) + 100}`, text, signal);
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      await over(signal);
    },
  },
  {
    name: 'five hundred requests that never end',
    async run({ port, from, signal }) {
      for (let index = 0; index < 500; index += 1) hold(port, from, `GET /healthz HTTP/1.1\r\nhost: x\r\nx-${index}: `, signal);
      await over(signal);
    },
  },
  {
    name: 'forty pictures of 25 megapixels in a kilobyte',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const body = await largePicture();
      const made = await create(hostile, {});
      if (!made) return;
      const path = `/api/notebooks/${made.slug}/images`;
      await flood(hostile, 40, () =>
        ask(port, { method: 'POST', path, from, signal, token: made.token, type: 'image/avif', body }),
      );
    },
  },
  {
    name: 'comments that end in brackets, drawn again and again',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, {});
      if (!made) return;
      await flood(hostile, 2, async () => {
        const body = JSON.stringify({ body: `https://a.example/${')'.repeat(1_900)}` });
        await ask(port, { method: 'POST', path: `/api/notebooks/${made.slug}/comments`, from, signal, body });
        await ask(port, { path: `/n/${made.slug}`, from, signal });
      });
    },
  },
  {
    name: 'thousands of requests on four connections, no answer read',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, { pages: [{ markdown: randomWords(400_000) }] });
      if (!made) return;
      await flood(hostile, 1, async () => {
        const text = get(`/api/notebooks/${made.slug}`) + get('/').repeat(2_000);
        for (let index = 0; index < 4; index += 1) hold(port, from, text, signal, 'deaf');
        await rest(1_000, signal);
      });
    },
  },
  {
    name: 'answers of 6 MiB that nobody reads',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, { pages: [{ markdown: '\u0001'.repeat(mebibyte - 100) }] });
      if (!made) return;
      const text = get(`/api/notebooks/${made.slug}/pages/${made.pages[0]}`);
      await flood(hostile, 1, async () => {
        hold(port, from, text, signal, 'deaf');
        await rest(20, signal);
      });
    },
  },
  {
    name: 'a notebook of 7 MiB asked for forty times, not read',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, { pages: times(7, () => randomWords(mebibyte - 100)).map(markdown => ({ markdown })) });
      if (!made) return;
      for (let index = 0; index < 40; index += 1) hold(port, from, get(`/api/notebooks/${made.slug}`), signal, 'deaf');
      await over(signal);
    },
  },
  {
    name: 'two thousand bodies of ten bytes kept back',
    async run({ port, from, signal }) {
      const head = 'POST /api/quick HTTP/1.1\r\nhost: x\r\ncontent-type: text/markdown\r\ncontent-length: 10\r\n\r\n';
      for (let index = 0; index < 2_000 && !signal.aborted; index += 1) {
        hold(port, from, head, signal);
        if (index % 10 === 0) await rest(10, signal);
      }
      await over(signal);
    },
  },
  {
    name: 'five hundred comments of links, drawn again and again',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, {});
      if (!made) return;
      await fillWithComments(hostile, made, 'http://a '.repeat(222).trim());
      await flood(hostile, 2, async round => {
        const page = `/api/notebooks/${made.slug}/pages/${made.pages[0]}`;
        const changed = JSON.stringify({ markdown: `${round}` });
        await ask(port, { method: 'PATCH', path: page, from, signal, token: made.token, body: changed });
        await ask(port, { path: `/n/${made.slug}`, from, signal });
      });
    },
  },
  {
    name: 'contents of 40,000 headings, printed and as a book',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const headings = times(201, index => `## Heading ${index} of this page`).join('\n');
      const made = await create(hostile, { pages: times(200, () => headings).map(markdown => ({ markdown })) });
      if (!made) return;
      await flood(hostile, 2, round => ask(port, { path: `/n/${made.slug}${round % 2 ? '.epub' : '/print'}`, from, signal }));
    },
  },
  {
    name: 'forty public notebooks of 200 pages, listed',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const pages = times(200, index => `# Page ${index}`).map(markdown => ({ markdown }));
      for (let index = 0; index < 40 && !signal.aborted; index += 1) await create(hostile, { visibility: 'public', pages });
      const lists = ['/feed.atom', '/llms.txt', '/sitemap.xml'];
      await flood(hostile, 3, round => ask(port, { path: lists[round % 3]!, from, signal }));
    },
  },
  ...bursts,
  {
    name: 'files of pages with 8 MiB of patches, listed',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const files = times(120, index => `${index}.md`).map(path => ({ path, patch: '\u007f'.repeat(65_000) }));
      const made = await create(hostile, { pages: files.map(file => ({ markdown: '', file })) });
      if (!made) return;
      await flood(hostile, 4, () => ask(port, { path: `/api/notebooks/${made.slug}/files`, from, signal, token: made.token }));
    },
  },
  {
    name: 'JSON that is wrong in ten thousand places, or in a name of 8 MiB',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const names = times(9_900, index => `"${index}${'/'.repeat(800)}":1`);
      const bodies = [`{${names.join()}}`, `{"${'a'.repeat(8 * mebibyte - 200)}":1}`];
      await flood(hostile, 2, round =>
        ask(port, { method: 'POST', path: '/api/notebooks', from, signal, body: bodies[round % 2]! }),
      );
    },
  },
];
