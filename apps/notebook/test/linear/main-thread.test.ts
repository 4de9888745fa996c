// Too slow for the quick tests: every function on many growing texts.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { GrowthMeter } from './growth-meter.ts';
import { mainThread, withoutText } from './main-thread.ts';

const meter = new GrowthMeter(20_000);
afterAll(() => meter.close());

describe('on hostile texts of up to 64 kB the work grows as the text does', () => {
  test.each(Object.keys(mainThread))(
    '%s',
    async name => {
      expect(await meter.findGrown({ name, texts: 'hostile', sizes: [16_384, 65_536] })).toEqual([]);
    },
    120_000,
  );
});

test('a function that does not come back is named with the text, and the next one is measured', async () => {
  const one = { texts: 'one', sizes: [4_096, 16_384] } as const;
  expect(await meter.findGrown({ name: 'never comes back', ...one }, 1_000)).toEqual([
    expect.stringMatching(/^(?!start).+ was not measured within 1000 ms$/),
  ]);
  expect(await meter.findGrown({ name: 'isSlug', ...one })).toEqual([]);
  expect(await meter.findGrown({ name: 'takes the square', ...one })).toEqual([expect.stringMatching(/characters took/)]);
});

/** Rooms and files whose functions are given text in the service's thread. */
const places = [
  'model/*',
  'markdown/{bounds,escape,heading,html-pieces,normalize,page-links,pasted-text,plain,plain-facts}',
  'operations/{plain-text,read-notebook-input,snippet}',
  'markdown/{book/xml-text,emoji/emoji,known-tags}',
  'http/addresses/*',
  'http/bodies/{json-scan,json-text,request-text}',
  'views/{comment-links,epub-links,xml,zoom-links}',
  'store/search/search-grams',
];
const source = fileURLToPath(new URL('../../src/', import.meta.url));

test('every function that these rooms export is in the list, or says why not', async () => {
  const files = places.flatMap(place => globSync(`${place}.ts`, { cwd: source })).filter(file => !file.endsWith('.test.ts'));
  const modules = await Promise.all(files.map(file => import(pathToFileURL(join(source, file)).href) as Promise<object>));
  const exported = modules
    .flatMap(module => Object.entries(module))
    .filter(([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)))
    .map(([name]) => name);
  expect(exported.filter(name => !(name in mainThread) && !(name in withoutText))).toEqual([]);
  expect(exported.length).toBeGreaterThan(50);
});
