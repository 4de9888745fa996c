import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
