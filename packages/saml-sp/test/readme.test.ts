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
  // The setup and the frameworks import the sessions by their file's name.
  const names = snippets.map((code, at) => (code.includes('export class Sessions') ? 'sessions.ts' : `snippet-${at}.ts`));
  for (const [at, code] of snippets.entries()) writeFileSync(`${folder}/${names[at]}`, code);
  const compilerOptions = {
    noEmit: true,
    paths: {
      '@octavo/saml-sp': [`${root}src/index.ts`],
      '@octavo/saml-sp/*': [`${root}src/*.ts`],
      '@octavo/sign-in-store': [`${root}../sign-in-store/src/index.ts`],
    },
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ extends: `${root}tsconfig.json`, compilerOptions, include: names }));
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', `file://${root}`));
  const checked = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', timeout: 120_000 });
  expect(`${checked.stdout}${checked.stderr}`).toBe('');
  expect(checked.status).toBe(0);
}, 150_000);
