import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readDocument } from './support/fronts.ts';
import { isInstalled } from './support/program.ts';

// The unit and the container file of docs/gate/operating.md, as an operator would copy them.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readDocument('operating.md');
const part = (language: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? '';
/** Where the guide unpacks the repository. */
const home = '/opt/octavo/';
/** What the build writes, from the bundler's own settings: it need not have run here. */
const built = 'apps/gate/dist/server/cli.js';

describe('the service unit', () => {
  const unit = part('ini');

  test('starts the program that the build writes, with a configuration that reload reaches', () => {
    const start = /^ExecStart=(\S+) (\S+) --config (\S+)$/m.exec(unit);
    expect(start?.[2]).toBe(`${home}${built}`);
    expect(readFileSync(join(root, 'apps/gate/vite.server.config.ts'), 'utf8')).toContain("outDir: 'dist/server'");
    expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
    // A relative store, as the example has it, lands where the service may write.
    expect(/^WorkingDirectory=(.*)$/m.exec(unit)?.[1]).toBe(`/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(10);
  });

  const program = isInstalled('systemd-analyze') ? undefined : 'systemd-analyze is not installed';
  test.skipIf(program !== undefined)(`is one that systemd takes${program === undefined ? '' : ` (skipped: ${program})`}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-unit-'));
    const script = join(folder, 'cli.js');
    writeFileSync(script, '');
    const path = join(folder, 'octavo-gate.service');
    // The paths of another machine are not on this one; what they are is tested above.
    const here = unit
      .replace('/usr/bin/node', process.execPath)
      .replace(`${home}${built}`, script)
      .replace(/^EnvironmentFile=.*$/m, '');
    writeFileSync(path, here);
    const { stderr, stdout, status } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    const said = `${stdout}${stderr}`.split('\n').filter(line => line.includes('octavo-gate.service'));
    expect([status, said]).toEqual([0, []]);
  });
});

describe('the container file', () => {
  const file = part('dockerfile');

  test('runs the same program, from where it was copied to, and not as root', () => {
    expect(/^WORKDIR (.*)$/m.exec(file)?.[1]).toBe(home.slice(0, -1));
    expect(JSON.parse(/^CMD (.*)$/m.exec(file)?.[1] ?? '[]')).toEqual(['node', built, '--config', '/etc/octavo/gate.json']);
    expect(file.indexOf('USER node')).toBeLessThan(file.indexOf('CMD'));
    expect(file).toMatch(/^EXPOSE 4180$/m);
  });

  test('builds with scripts that there are, on a Node that the program takes', () => {
    const { scripts, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [, script] of file.matchAll(/npm run (\S+)/g)) expect(Object.keys(scripts)).toContain(script);
    const image = Number(/^FROM node:(\d+)/m.exec(file)?.[1]);
    expect(image).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
    expect(existsSync(join(root, 'package-lock.json'))).toBe(true);
  });
});
