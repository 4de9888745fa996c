import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readVault } from './read-vault.ts';

const root = mkdtempSync(join(tmpdir(), 'octavo-vault-'));
afterAll(() => rmSync(root, { recursive: true }));

it('images of a folder are read when they are sent, not before', async () => {
  mkdirSync(join(root, 'vault'));
  const hill = join(root, 'vault', 'hill.png');
  writeFileSync(join(root, 'vault', 'one.md'), '# One\n\n![A hill](hill.png)\n');
  writeFileSync(hill, 'before');
  const { images } = await readVault([join(root, 'vault')]);
  expect(images.map(({ path }) => path)).toEqual(['hill.png']);
  writeFileSync(hill, 'later');
  expect(Buffer.from(images[0]!.read()).toString()).toBe('later');
});

it('a folder is read once and no further: links lead to other folders, or round and round', async () => {
  const [vault, elsewhere] = [join(root, 'linked'), join(root, 'elsewhere')];
  mkdirSync(join(vault, 'in', 'deep'), { recursive: true });
  mkdirSync(join(vault, '.git'));
  mkdirSync(elsewhere);
  writeFileSync(join(vault, 'in', 'deep', 'a.md'), '# A');
  writeFileSync(join(vault, '.git', 'b.md'), '# B');
  writeFileSync(join(elsewhere, 'diary.md'), '# Private');
  symlinkSync('..', join(vault, 'in', 'round'));
  symlinkSync(elsewhere, join(vault, 'out'));
  symlinkSync(join(elsewhere, 'diary.md'), join(vault, 'c.md'));
  const { files, leftOut } = await readVault([vault]);
  expect(files.map(({ name }) => name)).toEqual(['in/deep/a.md']);
  expect(leftOut.toSorted()).toEqual([
    'c.md is a link to another file.',
    'in/round is a link to another folder.',
    'out is a link to another folder.',
  ]);
});
