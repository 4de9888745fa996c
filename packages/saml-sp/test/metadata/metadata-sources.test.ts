import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultMaxBytes } from '../../src/idp/idp-metadata.ts';
import { readLargeMetadata } from '../../src/idp/large-metadata.ts';
import { MetadataQuery } from '../../src/idp/metadata-query.ts';
import { MetadataRefresh } from '../../src/idp/metadata-refresh.ts';
import { folders } from '../support/folder.ts';
import { serve } from '../support/http-server.ts';
import { entities, entity, keyDescriptor, signMetadata } from '../support/idp-metadata-fixture.ts';
import { testKey } from '../support/keys.ts';
import { federation } from '../support/provider-shapes.ts';
import { refusal } from '../support/refusal.ts';
import { at, createServiceProvider, idp } from '../support/world.ts';

const clock = () => new Date(at(0));
const folder = folders();
const signedBy = [testKey('other').certificate];
const until = ` ID="_md1" validUntil="${at(86_400)}"`;
const codes = () => {
  const list: string[] = [];
  return { list, onError: (error: unknown) => void list.push((error as { code: string }).code) };
};
/** Answers of a pretended network: what an https address says cannot be served on loopback. */
const network = (answers: Record<string, () => Response>) => {
  const asked: [string, string | null][] = [];
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    asked.push([String(url), new Headers(init?.headers).get('if-none-match')]);
    return answers[String(url)]?.() ?? new Response('', { status: 404 });
  };
  return { asked, fetch: fetch as typeof globalThis.fetch };
};
const redirect = (location: string) => () => new Response(null, { status: 302, headers: { location } });

describe('where metadata comes from', () => {
  test('prefers the first of two sources, however late it answers', async () => {
    const slow = Promise.withResolvers<void>();
    await using server = await serve(async (request, response) => {
      if (request.url === '/first') await slow.promise;
      response.end(
        entity({ keys: request.url === '/first' ? keyDescriptor('idp') + keyDescriptor('idp-next') : keyDescriptor('other') }),
      );
      if (request.url === '/second') slow.resolve();
    });
    const sources = [{ url: `${server.origin}/first` }, { url: `${server.origin}/second` }];
    const directory = new MetadataRefresh({ sources, now: clock });
    await directory.refresh();
    expect(directory.find(idp.entityId)?.signingKeys).toHaveLength(2);
    expect(directory.list().map(one => one.signingKeys.length)).toEqual([2]);
  });

  test.each([
    ['http on this machine', 'http://127.0.0.1:9/metadata'],
    ['http elsewhere', 'http://idp.example.edu/metadata'],
    ['a file', 'file:///etc/passwd'],
    ['nonsense', 'https://['],
  ])('refuses an https address that redirects to %s', async (_name, location) => {
    const { list, onError } = codes();
    const { fetch, asked } = network({
      'https://idp.example.edu/m': redirect(location),
      [location]: () => new Response(entity()),
    });
    const directory = new MetadataRefresh({ sources: [{ url: 'https://idp.example.edu/m' }], fetch, onError, now: clock });
    await directory.refresh();
    expect(list).toEqual(['SAML_METADATA_FETCH']);
    expect(asked).toHaveLength(1);
  });

  test('follows a redirect from https to https', async () => {
    const { fetch } = network({
      'https://idp.example.edu/m': redirect('https://cdn.example.edu/m'),
      'https://cdn.example.edu/m': () => new Response(entity()),
    });
    const directory = new MetadataRefresh({ sources: [{ url: 'https://idp.example.edu/m' }], fetch, now: clock });
    await directory.refresh();
    expect(directory.find(idp.entityId)).toBeDefined();
  });

  test('does not read unchanged metadata again (ETag)', async () => {
    let body: (() => Response) | undefined = () => new Response(entity(), { headers: { etag: '"one"' } });
    const { fetch, asked } = network({ 'https://idp.example.edu/m': () => body?.() ?? new Response(null, { status: 304 }) });
    const { list, onError } = codes();
    const directory = new MetadataRefresh({ sources: [{ url: 'https://idp.example.edu/m' }], fetch, onError, now: clock });
    await directory.refresh();
    body = undefined;
    await directory.refresh();
    expect(asked.map(([, etag]) => etag)).toEqual([null, '"one"']);
    expect(directory.find(idp.entityId)).toBeDefined();
    expect(list).toEqual([]);
  });

  test.each([
    ['PT10M', 600],
    ['P1DT1H', 3600],
    ['P0Y0M0DT0H10M0.000S', 600],
    ['P0Y1M0DT0H10M0S', 3600],
    ['PT1S', 60],
    ['P1M', 3600],
    ['soon', 3600],
  ])('cacheDuration %s: the next refresh is in %i seconds', async (duration, seconds) => {
    const { fetch } = network({
      'https://idp.example.edu/m': () => new Response(entity({ attributes: ` cacheDuration="${duration}"` })),
    });
    const directory = new MetadataRefresh({ sources: [{ url: 'https://idp.example.edu/m' }], fetch, now: clock });
    await directory.refresh();
    if (duration !== 'soon') expect(directory.find(idp.entityId)).toBeDefined();
    expect(directory.nextRefreshSeconds).toBe(seconds);
  });

  test('reads a folder of files, and keeps the others if one is bad', async () => {
    const path = await folder();
    await writeFile(join(path, 'a.xml'), entity({}, 'https://a.example'));
    await writeFile(join(path, 'b.xml'), '<html>');
    await writeFile(join(path, 'c.xml'), entity({}, 'https://c.example'));
    await writeFile(join(path, 'notes.txt'), 'not read');
    const { list, onError } = codes();
    const directory = new MetadataRefresh({ sources: [{ folder: path }], onError, now: clock });
    await directory.refresh();
    expect(
      directory
        .list()
        .map(one => one.entityId)
        .sort(),
    ).toEqual(['https://a.example', 'https://c.example']);
    expect(list).toEqual(['SAML_XML_MALFORMED']);
  });

  test('the last good copy is used when the source is down at the start, and verified again', async () => {
    const cacheFolder = join(await folder(), 'copies');
    const url = 'https://idp.example.edu/m';
    const up = network({ [url]: () => new Response(signMetadata(entity({ attributes: until }), { key: 'other' })) });
    const down = network({ [url]: () => new Response('', { status: 500 }) });
    const start = async (fetch: typeof globalThis.fetch, now = clock) => {
      const { list, onError } = codes();
      const directory = new MetadataRefresh({ sources: [{ url, signedBy }], cacheFolder, fetch, onError, now });
      await directory.refresh();
      return { list, found: directory.find(idp.entityId) !== undefined };
    };
    expect(await start(down.fetch)).toEqual({ list: ['SAML_METADATA_FETCH'], found: false });
    expect(await start(up.fetch)).toEqual({ list: [], found: true });
    expect(await start(down.fetch)).toEqual({ list: ['SAML_METADATA_FETCH'], found: true });
    expect(await start(down.fetch, () => new Date(at(90_000)))).toEqual({
      list: ['SAML_METADATA_EXPIRED', 'SAML_METADATA_FETCH'],
      found: false,
    });
    const [name = ''] = await readdir(cacheFolder);
    await writeFile(join(cacheFolder, name), signMetadata(entity({ attributes: until }), { key: 'attacker' }));
    expect(await start(down.fetch)).toEqual({ list: ['SAML_SIGNATURE_INVALID', 'SAML_METADATA_FETCH'], found: false });
  });

  test('the copy is only for the start: a source that is down later keeps what is in use, whatever the copy says', async () => {
    const cacheFolder = join(await folder(), 'copies');
    const url = 'https://idp.example.edu/m';
    const current = signMetadata(entity({ attributes: until }), { key: 'other' });
    let isDown = false;
    const { fetch } = network({ [url]: () => (isDown ? new Response('', { status: 500 }) : new Response(current)) });
    const directory = new MetadataRefresh({ sources: [{ url, signedBy }], cacheFolder, fetch, now: clock });
    await directory.refresh();
    const [name = ''] = await readdir(cacheFolder);
    // Truly signed, as an older one would be.
    const older = signMetadata(entity({ attributes: until }, 'https://older.example/idp'), { key: 'other' });
    await writeFile(join(cacheFolder, name), older);
    isDown = true;
    await directory.refresh();
    expect(directory.list().map(({ entityId }) => entityId)).toEqual([idp.entityId]);
  });

  test.each([
    ['an unknown option', { sources: [], everySecond: 5 }, /options\.everySecond: there is no such setting/],
    [
      'text for a number',
      { sources: [], everySeconds: '60' },
      /options\.everySeconds: expected a number from 10 to 604800, got a string/,
    ],
    [
      'a misspelt safeguard of a source',
      { sources: [{ url: 'https://a.example', signedby: [] }] },
      /options\.sources\[0\]\.signedby: there is no such setting/,
    ],
    ['an http source', { sources: [{ url: 'http://a.example' }] }, /options\.sources\[0\]\.url: expected an https address/],
    ['no sources', {}, /options\.sources: expected an array/],
    [
      'a policy that does not exist',
      { sources: [{ file: 'a', policy: { allowSha1: true } }] },
      /policy\.allowSha1: there is no such setting/,
    ],
  ])('refuses %s', (_name, options, message) => {
    expect(() => new MetadataRefresh(options as never)).toThrow(message);
  });
});

describe('a metadata query service is asked for one entity at a time', () => {
  const base = 'https://mdq.example.org/';
  const address = `https://mdq.example.org/entities/${encodeURIComponent(idp.entityId)}`;
  const signed = () => new Response(signMetadata(entity({ attributes: until }), { key: 'other' }));

  test('found, used, asked for once', async () => {
    const { fetch, asked } = network({ [address]: signed });
    const directory = new MetadataQuery({ url: base, signedBy, fetch, now: clock });
    const provider = createServiceProvider({ identityProviders: directory });
    await Promise.all(Array.from({ length: 20 }, () => provider.startSignIn(idp.entityId)));
    await expect(provider.startSignIn(idp.entityId)).resolves.toBeDefined();
    expect(asked).toHaveLength(1);
  });

  test('an entity that does not exist is unknown, and asked for once', async () => {
    const { fetch, asked } = network({});
    const provider = createServiceProvider({ identityProviders: new MetadataQuery({ url: base, fetch, now: clock }) });
    for (let turn = 0; turn < 3; turn += 1)
      await expect(provider.startSignIn('https://nobody.example')).rejects.toMatchObject({
        code: 'SAML_UNKNOWN_IDP',
        status: 403,
      });
    expect(asked).toHaveLength(1);
  });

  test('an outage is 503, unless an answer is known', async () => {
    let time = 0;
    let answer = () => new Response('', { status: 500 });
    const { fetch } = network({ [address]: () => answer() });
    const directory = new MetadataQuery({ url: base, signedBy, fetch, now: () => new Date(at(time)) });
    const provider = createServiceProvider({ identityProviders: directory, now: () => new Date(at(time)) });
    await expect(provider.startSignIn(idp.entityId)).rejects.toMatchObject({ code: 'SAML_METADATA_FETCH', status: 503 });
    answer = signed;
    await provider.startSignIn(idp.entityId);
    answer = () => new Response('', { status: 500 });
    time = 7200;
    await expect(provider.startSignIn(idp.entityId)).resolves.toBeDefined();
    time = 90_000;
    await expect(provider.startSignIn(idp.entityId)).rejects.toMatchObject({ code: 'SAML_METADATA_EXPIRED' });
  });

  test.each([
    [
      'another entity',
      () => signMetadata(entity({ attributes: until }, 'https://evil.example'), { key: 'other' }),
      'SAML_METADATA_INVALID',
    ],
    [
      'a signature by another key',
      () => signMetadata(entity({ attributes: until }), { key: 'attacker' }),
      'SAML_SIGNATURE_INVALID',
    ],
    ['no signature', () => entity({ attributes: until }), 'SAML_SIGNATURE_MISSING'],
  ])('refuses an answer with %s', async (_name, body, code) => {
    const { fetch } = network({ [address]: () => new Response(body()) });
    await expect(new MetadataQuery({ url: base, signedBy, fetch, now: clock }).find(idp.entityId)).rejects.toMatchObject({
      code,
    });
  });

  test('bounds the questions at a time for a flood of made-up names', async () => {
    const gate = Promise.withResolvers<Response>();
    let asked = 0;
    const fetch = (() => {
      asked += 1;
      return gate.promise;
    }) as typeof globalThis.fetch;
    const directory = new MetadataQuery({ url: base, fetch, maxFetches: 3, now: clock });
    const outcomes = Promise.allSettled(Array.from({ length: 500 }, (_, at) => directory.find(`https://x${at}.example`)));
    gate.resolve(new Response('', { status: 404 }));
    expect((await outcomes).filter(one => one.status === 'rejected')).toHaveLength(497);
    expect(asked).toBe(3);
  });

  test('does not ask for a name that is too long for an entity ID', async () => {
    const { fetch, asked } = network({});
    const directory = new MetadataQuery({ url: base, fetch, now: clock });
    expect(await directory.find(`https://${'x'.repeat(1017)}`)).toBeUndefined();
    expect(asked).toHaveLength(0);
    expect(await directory.find(`https://${'x'.repeat(1016)}`)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test('keeps at most maxEntries providers', async () => {
    const names = ['https://a.example', 'https://b.example', 'https://c.example'];
    const { fetch, asked } = network(
      Object.fromEntries(
        names.map(name => [
          `${base}entities/${encodeURIComponent(name)}`,
          () => new Response(signMetadata(entity({ attributes: until }, name), { key: 'other' })),
        ]),
      ),
    );
    const directory = new MetadataQuery({ url: base, signedBy, fetch, now: clock, maxEntries: 2 });
    for (const name of [...names, ...names.slice(1)]) expect((await directory.find(name))?.entityId).toBe(name);
    expect(asked).toHaveLength(3);
    await directory.find(names[0] ?? '');
    expect(asked).toHaveLength(4);
  });

  test('reports a directory that throws as an outage', async () => {
    const directory = {
      find: () => {
        throw new Error('connection refused');
      },
    };
    await expect(createServiceProvider({ identityProviders: directory }).startSignIn(idp.entityId)).rejects.toMatchObject({
      code: 'SAML_STORE_UNAVAILABLE',
      status: 503,
    });
  });
});

describe('an aggregate is read in a thread of its own', () => {
  const count = 120;
  const aggregate = signMetadata(federation(count, at(86_400), keyDescriptor('idp')), { key: 'other' });

  test('signed, with display names; the loop turns meanwhile', async () => {
    let turns = 0;
    let counting = true;
    const turn = (): void => {
      turns += 1;
      if (counting) setImmediate(turn);
    };
    setImmediate(turn);
    const providers = await readLargeMetadata(aggregate, { signedBy, now: clock() });
    counting = false;
    expect(turns).toBeGreaterThan(10);
    expect(providers).toHaveLength(count);
    expect(providers[7]).toMatchObject({
      entityId: 'https://idp7.example.org/idp',
      scopes: ['idp7.example.org'],
      display: { names: { en: 'University 7' }, logos: [{ url: 'https://idp7.example.org/favicon.png', width: 16, height: 16 }] },
    });
    expect(providers[0]?.signingKeys[0]?.type).toBe('public');
    expect(() => createServiceProvider({ identityProviders: providers })).not.toThrow();
  });

  test('2,100 entities in more than 1 MiB', async () => {
    const xml = entities(Array.from({ length: 2_100 }, (_, at) => entity({ attributes: '' }, `https://e${at}.example`)).join(''));
    expect(xml.length).toBeGreaterThan(defaultMaxBytes);
    expect(await readLargeMetadata(xml, { now: clock() })).toHaveLength(2_100);
  });

  test.each([
    [
      'signed by another key',
      signMetadata(federation(count, at(86_400), keyDescriptor('idp')), { key: 'attacker' }),
      {},
      'SAML_SIGNATURE_INVALID',
    ],
    [
      'changed afterwards',
      aggregate.replace('https://idp7.example.org/sso', 'https://evil.example.org/sso'),
      {},
      'SAML_SIGNATURE_INVALID',
    ],
    ['larger than the cap', aggregate, { maxBytes: 70_000 }, 'SAML_MESSAGE_TOO_LARGE'],
    ['cut short', aggregate.slice(0, -30), {}, 'SAML_XML_MALFORMED'],
  ])('%s: %s', async (_name, xml, more, code) => {
    await expect(readLargeMetadata(xml, { signedBy, now: clock(), ...more })).rejects.toEqual(refusal(code));
  });

  test('reports what is left out', async () => {
    const left: string[] = [];
    const xml = entities(
      Array.from({ length: 80 }, (_, at) =>
        entity({ attributes: '', keys: keyDescriptor(at === 3 ? 'weak' : 'idp') }, `https://e${at}.example`),
      ).join(''),
    );
    const found = await readLargeMetadata(xml, {
      now: clock(),
      onLeftOut: (entityId, error) => left.push(`${entityId} ${error.code}`),
    });
    expect(found).toHaveLength(79);
    expect(left).toEqual(['https://e3.example SAML_KEY']);
  });

  test('fails with what onLeftOut throws', async () => {
    const mistake = new TypeError('a mistake');
    const xml = entities(
      Array.from({ length: 80 }, (_, at) =>
        entity({ attributes: '', keys: keyDescriptor(at === 3 ? 'weak' : 'idp') }, `https://e${at}.example`),
      ).join(''),
    );
    const onLeftOut = (): never => {
      throw mistake;
    };
    await expect(readLargeMetadata(xml, { now: clock(), onLeftOut })).rejects.toBe(mistake);
  });
});
