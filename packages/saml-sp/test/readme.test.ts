import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const snippets = [...readFileSync(`${root}README.md`, 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);

test('every snippet of the README is strict TypeScript as it stands', () => {
  expect(snippets.length).toBeGreaterThan(7);
  const folder = `${root}node_modules/.cache/readme`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [at, code] of snippets.entries()) writeFileSync(`${folder}/snippet-${at}.ts`, code);
  const compilerOptions = {
    noEmit: true,
    paths: { '@octavo/saml-sp': [`${root}src/index.ts`], '@octavo/saml-sp/*': [`${root}src/*.ts`] },
  };
  const files = snippets.map((_, at) => `snippet-${at}.ts`);
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ extends: `${root}tsconfig.json`, compilerOptions, include: files }));
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', `file://${root}`));
  const checked = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', timeout: 120_000 });
  expect(`${checked.stdout}${checked.stderr}`).toBe('');
  expect(checked.status).toBe(0);
}, 150_000);
