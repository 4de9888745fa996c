import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { precompress } from './precompress.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(path.join(tmpdir(), 'octavo-precompress-'));
});
afterEach(() => rmSync(place, { recursive: true }));

const at = (name: string) => path.join(place, name);
const script = 'export const words = "words";\n'.repeat(100);

it('puts both codings beside each text, and beside nothing that is short or no text', async () => {
  for (const [name, text] of Object.entries({ 'a.js': script, 'short.js': 'x', 'a.woff2': script }))
    writeFileSync(at(name), text);
  await precompress(place, at('kept'));
  expect(readdirSync(place).sort()).toEqual(['a.js', 'a.js.br', 'a.js.gz', 'a.woff2', 'kept', 'short.js']);
  expect(brotliDecompressSync(readFileSync(at('a.js.br'))).toString()).toBe(script);
  expect(gunzipSync(readFileSync(at('a.js.gz'))).toString()).toBe(script);
});

it('compresses what is new, and forgets what is gone', async () => {
  writeFileSync(at('a.js'), script);
  await precompress(place, at('kept'));
  const before = readdirSync(at('kept'));
  expect(before).toHaveLength(2);
  for (const name of before) writeFileSync(at(`kept/${name}`), 'kept');
  writeFileSync(at('b.js'), `${script}// new\n`);
  await precompress(place, at('kept'));
  expect(readFileSync(at('a.js.br'), 'utf8')).toBe('kept');
  expect(brotliDecompressSync(readFileSync(at('b.js.br'))).toString()).toBe(`${script}// new\n`);
  writeFileSync(at('a.js'), `${script}// changed\n`);
  await precompress(place, at('kept'));
  expect(brotliDecompressSync(readFileSync(at('a.js.br'))).toString()).toBe(`${script}// changed\n`);
  expect(before.filter(name => existsSync(at(`kept/${name}`)))).toEqual([]);
});

it('builds beside each other may forget what the others have kept', async () => {
  const builds = ['one', 'two', 'three', 'four'].map(name => at(name));
  for (const [number, build] of builds.entries()) {
    mkdirSync(build);
    for (let file = 0; file < 8; file++) writeFileSync(path.join(build, `${file}.js`), `${script}// ${number} ${file}\n`);
  }
  for (let round = 0; round < 3; round++) await Promise.all(builds.map(build => precompress(build, at('kept'))));
  for (const [number, build] of builds.entries())
    expect(gunzipSync(readFileSync(path.join(build, '7.js.gz'))).toString()).toBe(`${script}// ${number} 7\n`);
});
