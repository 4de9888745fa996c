import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const programOf = (name: string) => fileURLToPath(new URL(`../../dist/server/${name}.js`, import.meta.url));

/** This Node, which says that it is an older one and lacks what that lacks. */
const pretended = `
  const find = process.getBuiltinModule;
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
  process.getBuiltinModule = name => (name === 'node:sqlite' ? undefined : find(name));
`;

it.each(['main', 'cli'])('%s says which Node it needs, and which this is', async name => {
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretended)}`, programOf(name)];
  const [code, err] = await new Promise<[unknown, string]>(resolve => {
    execFile(process.execPath, args, { env: { PORT: '0' }, cwd: '/', timeout: 60_000 }, (error, _, said) =>
      resolve([error?.code, said]),
    );
  });
  expect([code, err]).toEqual([1, `Octavo needs Node 24 or later. This is Node 20.20.2 (${process.execPath}).\n`]);
});
