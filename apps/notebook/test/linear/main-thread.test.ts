// Too slow for the quick tests: every function on many growing texts.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { HostileInput } from '../markdown/hostile-inputs.ts';
import { findGrown } from './find-grown.ts';
import { hostileTexts } from './hostile-texts.ts';
import { mainThread, withoutText } from './main-thread.ts';

/** Each text is made once, not for each function anew. */
const texts = hostileTexts.map(([name, make]): HostileInput => {
  const made = new Map<number, string>();
  return [name, chars => made.get(chars) ?? made.set(chars, make(chars)).get(chars)!];
});

describe('on hostile texts of up to 64 kB the work grows as the text does', () => {
  test.each(Object.entries(mainThread))(
    '%s',
    (_, run) => {
      expect(findGrown(run, texts, [16_384, 65_536])).toEqual([]);
    },
    120_000,
  );
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
