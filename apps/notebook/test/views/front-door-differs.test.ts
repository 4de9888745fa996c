import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeDown } from '../../src/operations/take-down.ts';
import { type Database, engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp, testStart } from '../support/notebook-app.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Question {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of the connection and the moment. */
const ofTheConnection = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

function keptOf(headers: http.IncomingHttpHeaders | NodeJS.Dict<unknown>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]).sort());
}

/** Pseudorandom numbers (mulberry32): a run that failed can be played again. */
function createRandom(seed: number): <One>(choices: readonly One[]) => One {
  let state = seed;
  return choices => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return choices[((mixed ^ (mixed >>> 14)) >>> 0) % choices.length]!;
  };
}

const codings = [
  undefined,
  'br',
  'gzip',
  'identity',
  'gzip, deflate, br, zstd',
  'br;q=0, gzip',
  'BR ; Q=0.000,GZIP;q=0.5',
  '*',
  '*;q=0',
  'gzip;q=0., br;q=0.1',
  '',
  ', ,br',
];
const others: readonly Record<string, string>[] = [
  {},
  {},
  { range: 'bytes=0-9' },
  { 'if-modified-since': new Date(testStart).toUTCString() },
  { 'if-match': '"no"' },
  { accept: 'text/markdown' },
  { accept: 'application/json' },
  { cookie: 'theme=dark' },
  { cookie: 'nb_unlock_x=y' },
  { 'x-edit-token': '' },
  { 'x-forwarded-for': '203.0.113.7' },
  { 'cache-control': 'no-cache', pragma: 'no-cache' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
  { 'content-length': '0' },
  { authorization: 'Basic eDp5' },
  { te: 'trailers', upgrade: 'h2c' },
];

type Change = [string, (app: NotebookApp, made: CreatedNotebook) => Promise<unknown>];

/** What happens to a notebook between two views, in another process. */
const changes: readonly Change[] = [
  ...(
    [
      ['becomes private', { visibility: 'private' }],
      ['becomes public', { visibility: 'public' }],
      ['gets a password', { password: 'key' }],
      ['burns after reading', { burnAfterRead: true }],
      ['gets an end', { expiresIn: '1h' }],
      ['is open to editing', { openEditing: true }],
      ['has no comments', { comments: false }],
      ['is read-only', { readOnly: true, openEditing: true }],
      ['has another title', { title: 'Another' }],
    ] as const
  ).map(([name, body]): Change => [name, (app, made) => ok(app, 'PATCH', made, '', body)]),
  ['has another text', (app, made) => ok(app, 'PATCH', made, `/pages/${made.pages[0]!.id}`, { markdown: '# other words' })],
  ['loses a page', (app, made) => ok(app, 'DELETE', made, `/pages/${made.pages[1]!.id}`)],
  ['gets a page', (app, made) => ok(app, 'POST', made, '/pages', { markdown: 'three' })],
  ['gets a comment', (app, made) => ok(app, 'POST', made, '/comments', { body: 'hello' })],
  ['is taken down', (app, made) => takeDown(app.parts, made.slug)],
  ['is deleted', (app, made) => ok(app, 'DELETE', made, '')],
];

async function ok(app: NotebookApp, method: 'PATCH' | 'POST' | 'DELETE', made: CreatedNotebook, path: string, body?: object) {
  const answer = await app.ask(method, `/api/notebooks/${made.slug}${path}`, {
    token: made.editToken,
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.statusCode).toBeLessThan(300);
}

describe.each(engines)('the front door answers as the framework does, on $name', engine => {
  let app: NotebookApp;
  let elsewhere: NotebookApp;
  let database: Database;
  let port: number;
  const agent = new http.Agent({ keepAlive: true });
  beforeAll(async () => {
    database = await engine.createDatabase();
    app = await startNotebookApp({ env: { DATABASE_URL: database.url } });
    elsewhere = await startNotebookApp({ env: { DATABASE_URL: database.url } });
    port = Number(new URL(await app.listen()).port);
  });
  afterAll(async () => {
    agent.destroy();
    await app.close();
    await elsewhere.close();
    database.remove();
  });

  function ask({ method, path, headers }: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', agent, method, path, headers }, answer => {
        const parts: Buffer[] = [];
        answer.on('data', part => parts.push(part));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode!,
            headers: keptOf(answer.headers),
            body: Buffer.concat(parts).toString('latin1'),
          }),
        );
      });
      request.on('error', reject).end();
    });
  }

  /** Through the framework alone. */
  async function askFramework({ method, path, headers }: Question): Promise<Answer> {
    const answer = await app.ask(method, path, { headers: { host: `127.0.0.1:${port}`, ...headers } });
    return { status: answer.statusCode, headers: keptOf(answer.headers), body: answer.rawPayload.toString('latin1') };
  }

  async function expectSame(question: Question, when: string): Promise<Answer> {
    const quick = await ask(question);
    expect({ question, when, ...quick }).toEqual({ question, when, ...(await askFramework(question)) });
    return quick;
  }

  async function anHourLater(): Promise<void> {
    for (const { clock } of [app, elsewhere]) clock.now += 3_600_001;
  }

  it.each(changes)('before and after a notebook %s', async (name, change) => {
    const pick = createRandom(changes.findIndex(([one]) => one === name) + 1);
    const made = await app.create({ pages: [{ markdown: '# one\n\ntext' }, { markdown: 'two' }] });
    const [first, second] = made.pages.map(({ id }) => id) as [string, string];
    const paths = [
      ...[`/n/${made.slug}`, `/n/${made.slug}`, `/n/${made.slug}/p/${first}`, `/n/${made.slug}/p/${second}`],
      ...[`/n/${made.slug}?`, `/n/${made.slug}?slides`, `/n/${made.slug}/`, `/n/${made.slug}.md`, `/n/${made.slug}//p/${first}`],
      ...[`/n/${made.slug.toUpperCase()}`, `/n/%6e${made.slug}`, `//n/${made.slug}`, `/%6e/${made.slug}`, `/n/${made.slug}#x`],
      ...[
        `/n/${made.slug}/p/${first}/`,
        `/n/${made.slug}/p/none`,
        `/n/${made.slug}/p/`,
        `/n/${made.slug}%00`,
        `/n/${made.slug};a`,
      ],
    ];
    const tags = new Set(['"none"']);
    const draw = (): Question => {
      const coding = pick(codings);
      const tag = pick([...tags]);
      const match = pick([
        undefined,
        undefined,
        tag,
        `"a", ${tag}`,
        tag.replace(/^W\//, ''),
        `W/${tag}`,
        '*',
        `${tag} , "b"`,
        '',
      ]);
      return {
        method: pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'OPTIONS']),
        path: pick(paths),
        headers: {
          ...(coding === undefined ? {} : { 'accept-encoding': coding }),
          ...(match === undefined ? {} : { 'if-none-match': match }),
          ...pick(others),
        },
      };
    };
    const plain = [`/n/${made.slug}`, `/n/${made.slug}/p/${second}`].map(path => ({ method: 'GET', path, headers: {} }) as const);
    for (const [when, prepare] of [
      ['before', async () => {}],
      ['after', () => change(elsewhere, made)],
      ['an hour later', anHourLater],
    ] as const) {
      // In memory by then.
      for (let turn = 0; turn < 3; turn++) for (const question of plain) await ask(question);
      await prepare();
      for (const question of plain) {
        const { etag } = (await expectSame(question, when)).headers;
        if (etag) tags.add(etag);
      }
      for (let count = 0; count < 25; count++) await expectSame(draw(), when);
    }
  });
});
