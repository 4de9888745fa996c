import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { PageCache } from '../http/answers/page-cache.ts';
import type { Notebook } from '../model/notebook.ts';
import {
  cookieOptions,
  etagMatches,
  getFinished,
  idempotencyKeyOf,
  type RouteContext,
  readCredentials,
  readSlugAndFormat,
  versionEtag,
} from './context.ts';

const contextAt = (publicUrl: string) => ({ site: { publicUrl } }) as RouteContext;

it('on https a cookie is never sent in the clear; scripts and forms of other sites never have one', () => {
  expect(cookieOptions(contextAt('https://notes.example'), 600)).toEqual({
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: true,
    maxAge: 600,
  });
  // A browser would not keep it.
  expect(cookieOptions(contextAt('http://localhost:3000'), 600).secure).toBe(false);
});

it('the name in a path says the notebook and the format', () => {
  expect(readSlugAndFormat('a-b')).toEqual({ slug: 'a-b', format: 'html' });
  expect(readSlugAndFormat('a.md')).toEqual({ slug: 'a', format: 'markdown' });
  expect(readSlugAndFormat('a.epub')).toEqual({ slug: 'a', format: 'epub' });
  expect(readSlugAndFormat('a.md.epub')).toEqual({ slug: 'a.md', format: 'epub' });
  expect(readSlugAndFormat('amd')).toEqual({ slug: 'amd', format: 'html' });
});

describe('the proofs of a request', () => {
  const requestOf = (slug: string, headers: object, cookies: object = {}) =>
    ({ params: { slug }, headers, cookies, ip: '2001:db8:1:2:3::4' }) as unknown as FastifyRequest;

  it('are those for the notebook in the path alone, whichever format is asked for', () => {
    const cookies = { nb_unlock_a: 'unlock a', nb_reader_a: 'reader a', nb_unlock_b: 'unlock b', nb_reader_b: 'reader b' };
    for (const slug of ['a', 'a.md', 'a.epub'])
      expect(readCredentials(requestOf(slug, { 'x-edit-token': 'token' }, cookies)), slug).toEqual({
        editToken: 'token',
        unlockCookie: 'unlock a',
        readerCookie: 'reader a',
        client: '2001:db8:1:2::/64',
      });
  });

  it('an empty header is none, and of two the first counts', () => {
    const tokenOf = (header: unknown) => readCredentials(requestOf('a', { 'x-edit-token': header })).editToken;
    expect([tokenOf(undefined), tokenOf(''), tokenOf([]), tokenOf(['one', 'two'])]).toEqual([
      undefined,
      undefined,
      undefined,
      'one',
    ]);
  });

  it('an Idempotency-Key is the same in quotes and bare', () => {
    const keyOf = (header: unknown) => idempotencyKeyOf({ headers: { 'idempotency-key': header } } as unknown as FastifyRequest);
    expect([keyOf(undefined), keyOf('k'), keyOf('"k"'), keyOf(['"k"', 'other'])]).toEqual([undefined, 'k', 'k', 'k']);
  });
});

it('a tag is of one notebook, version, time, program and form', () => {
  const notebook = { id: 'i', version: 3, updatedAt: 5 } as Notebook;
  const tags = [
    versionEtag('md', notebook, 'b'),
    versionEtag('print', notebook, 'b'),
    versionEtag('md', { ...notebook, id: 'j' }, 'b'),
    versionEtag('md', { ...notebook, version: 4 }, 'b'),
    versionEtag('md', { ...notebook, updatedAt: 6 }, 'b'),
    versionEtag('md', notebook, 'c'),
  ];
  expect(new Set(tags).size).toBe(tags.length);
  for (const tag of tags) expect(tag).toMatch(/^W\/"[^",]+"$/);
  expect(etagMatches(`"other", ${tags[1]}`, tags[1]!)).toBe(true);
  expect(etagMatches(tags[0], tags[1]!)).toBe(false);
  expect(etagMatches(undefined, tags[1]!)).toBe(false);
});

it('a request that waited for a page takes a turn before anything else, whatever came of it', async () => {
  const cache = new PageCache(1_000_000);
  const order: string[] = [];
  const request = {
    takeTurn: async () => {
      order.push('turn');
    },
  };
  const get = (key: string, make: () => Promise<string | undefined>) =>
    getFinished(cache, request, key, make).then(
      page => order.push(page ? 'page' : 'none'),
      () => order.push('failed'),
    );
  await get('a', async () => 'words');
  await get('b', async () => undefined);
  await get('c', () => Promise.reject(new Error('out of reach')));
  expect(order).toEqual(['turn', 'page', 'turn', 'none', 'turn', 'failed']);
});
