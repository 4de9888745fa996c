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
  const [server, machines, assets] = [...guide.matchAll(/^```nginx\n(.*?)^```/gms)].map(([, block]) => block!);
  expect([server, machines, assets]).toEqual([
    expect.stringMatching(/^server /),
    expect.stringMatching(/^upstream /),
    expect.stringMatching(/^location /),
  ]);
  const blocks = `${machines}${server!.replace(/\}\n$/, `${assets}}\n`)}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'octavo-nginx-'));
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${folder}/pid; error_log ${folder}/error.log; events {} http {\n${blocks}}\n`);
  const { stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(stderr).toContain('test is successful');
});
