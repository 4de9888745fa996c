import { describe, expect, test } from 'vitest';
import { AnswerCache } from '../../src/idp/answer-cache.ts';
import { readLargeMetadata } from '../../src/idp/large-metadata.ts';
import { fetchMetadata } from '../../src/idp/metadata-fetch.ts';
import { entity } from '../support/idp-metadata-fixture.ts';
import { refusalIn } from '../support/refusal.ts';
import { knownIdp, now } from '../support/world.ts';

// How metadata is fetched and kept, at each limit.

const start = 'https://federation.example/metadata';

describe('metadata is fetched', () => {
  /** Answers one after the other; what was asked is noted. */
  async function fetched(answers: Response[], options: { etag?: string; maxBytes?: number } = {}) {
    const seen: [string, Record<string, string>][] = [];
    const fetch = async (url: string, sent: RequestInit) => {
      seen.push([url, sent.headers as Record<string, string>]);
      const answer = answers[seen.length - 1];
      if (answer === undefined) throw new TypeError('network');
      return answer;
    };
    const found = await fetchMetadata(start, {
      fetch: fetch as never,
      timeoutSeconds: 10,
      maxBytes: 4,
      etag: undefined,
      ...options,
    });
    return { found, seen };
  }
  const to = (location: string | undefined, status = 302) =>
    new Response(null, { status, headers: location === undefined ? {} : { location } });

  test('up to the limit, to the byte', async () => {
    const { found, seen } = await fetched([new Response('1234', { headers: { etag: '"a"' } })]);
    expect(found).toEqual({ changed: true, bytes: Buffer.from('1234'), etag: '"a"' });
    expect(seen).toEqual([[start, { accept: 'application/samlmetadata+xml, application/xml' }]]);
    await expect(fetched([new Response('12345')])).rejects.toThrow(refusalIn('SAML_MESSAGE_TOO_LARGE', /larger than 4 bytes/));
    expect((await fetched([new Response(null)])).found).toEqual({ changed: true, bytes: Buffer.alloc(0), etag: undefined });
  });

  test('not again while it has not changed, and only then', async () => {
    const { found, seen } = await fetched([to(undefined, 304)], { etag: '"a"' });
    expect(found).toEqual({ changed: false });
    expect(seen[0]?.[1]).toMatchObject({ 'if-none-match': '"a"' });
    await expect(fetched([to(undefined, 304)])).rejects.toThrow(refusalIn('SAML_METADATA_FETCH', /responded with status 304/));
    expect((await fetched([new Response('1')], { etag: '"a"' })).found).toMatchObject({ changed: true });
    // An error is no word that nothing changed: what is known would be believed for longer than its source stands by it.
    for (const status of [204, 206, 300, 302, 305, 404, 410, 500, 503])
      await expect(fetched([to(undefined, status)], { etag: '"a"' })).rejects.toThrow(
        refusalIn('SAML_METADATA_FETCH', new RegExp(`responded with status ${status}$`)),
      );
  });

  test.each([301, 302, 307, 308])('after a redirect with %i, to a path or another host', async status => {
    const { seen } = await fetched([
      to('/b', status),
      to('https://other.example/c', status),
      to('/d', status),
      new Response('1'),
    ]);
    expect(seen.map(([url]) => url)).toEqual([
      start,
      'https://federation.example/b',
      'https://other.example/c',
      'https://other.example/d',
    ]);
  });

  test.each<[string, Response[], RegExp]>([
    ['a fourth redirect', [to('/b'), to('/c'), to('/d'), to('/e')], /redirects too many times/],
    ['a redirect to nowhere', [to(undefined)], /responded with status 302/],
    ['another answer with a location', [to('/b', 303)], /responded with status 303/],
    ['a redirect to what is no address', [to('https://[')], /unsafe address/],
    ['a redirect to http', [to('http://127.0.0.1/')], /unsafe address/],
    ['a redirect with a name and password', [to('https://a:b@other.example/')], /unsafe address/],
  ])('refuses %s', async (_name, answers, words) => {
    await expect(fetched(answers)).rejects.toThrow(refusalIn('SAML_METADATA_FETCH', words));
  });

  test('reports a source that does not answer as an outage with its cause', async () => {
    await expect(fetched([])).rejects.toMatchObject({
      code: 'SAML_METADATA_FETCH',
      message: 'the metadata source did not respond',
      cause: expect.objectContaining({ message: 'network' }),
    });
  });
});

describe('answers are kept', () => {
  const provider = (validUntil?: number) => ({
    ...knownIdp(),
    validUntil: validUntil === undefined ? undefined : new Date(validUntil),
  });

  test('that nobody is there too, until its time', () => {
    const cache = new AnswerCache(2);
    cache.put('a', undefined, 100, 0);
    expect(cache.get('a', 99)).toEqual({ provider: undefined, fresh: true });
    expect(cache.size).toBe(1);
    expect(cache.get('a', 100)).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  test('as many as are allowed of each kind; what is over goes before what is old', () => {
    const cache = new AnswerCache(2);
    for (const name of ['a', 'b']) cache.put(name, undefined, name === 'b' ? 10 : 1000, 0);
    expect(cache.size).toBe(2);
    cache.put('c', undefined, 1000, 10);
    expect(['a', 'b', 'c'].map(name => cache.get(name, 10) !== undefined)).toEqual([true, false, true]);
    const kept = new AnswerCache(2);
    kept.put('old', provider(), 1000, 0);
    kept.put('over', provider(10), 1000, 0);
    kept.put('new', provider(), 1000, 10);
    expect(['old', 'over', 'new'].map(name => kept.get(name, 10) !== undefined)).toEqual([true, false, true]);
  });

  test('nothing is dropped while there is room, not even what is over', () => {
    const cache = new AnswerCache(2);
    cache.put('over', provider(10), 1000, 0);
    cache.put('new', provider(), 1000, 20);
    expect(cache.get('over', 20)).toMatchObject({ fresh: false });
  });
});

describe('large metadata', () => {
  test('has as many bytes as are allowed, and not one more', async () => {
    const xml = entity();
    const maxBytes = Buffer.byteLength(xml);
    expect(await readLargeMetadata(xml, { now, maxBytes })).toHaveLength(1);
    expect(await readLargeMetadata(Buffer.from(xml), { now, maxBytes })).toHaveLength(1);
    await expect(readLargeMetadata(`${xml} `, { now, maxBytes })).rejects.toThrow(
      refusalIn('SAML_MESSAGE_TOO_LARGE', new RegExp(`too large: ${maxBytes + 1} bytes, at most ${maxBytes}`)),
    );
  });
});
