import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { removeStaleOutputs } from './stale-outputs.ts';

it('only what has a source stays in the output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-outputs-'));
  const write = (...files: string[]) => {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
  };
  try {
    write('src/index.ts', 'src/room/view.tsx');
    const fresh = ['dist/index.js', 'dist/index.d.ts', 'dist/room/view.js', 'dist/room/view.d.ts'];
    const stale = ['dist/view.js', 'dist/view.d.ts', 'dist/former/index.js'];
    write(...fresh, ...stale);
    removeStaleOutputs(join(folder, 'src'), join(folder, 'dist'));
    expect([...fresh, ...stale].filter(file => existsSync(join(folder, file)))).toEqual(fresh);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
