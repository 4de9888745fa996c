import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it('nginx accepts the configuration of docs/operating.md', context => {
  if (!hasNginx()) context.skip('nginx is not installed');
  const guide = readFileSync(path.join(import.meta.dirname, '../docs/operating.md'), 'utf8');
  const server = /^```nginx\n(.*?)^```/ms.exec(guide)?.[1];
  expect(server).toBeDefined();
  const folder = mkdtempSync(path.join(tmpdir(), 'octavo-nginx-'));
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${folder}/pid; error_log ${folder}/error.log; events {} http {\n${server}}\n`);
  const { stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(stderr).toContain('test is successful');
});
