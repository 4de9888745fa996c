import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCommands } from './documented-commands.ts';
import { whenWritten } from './when-written.ts';

const root = path.join(import.meta.dirname, '..');
let clone: string;
const started: ChildProcess[] = [];

const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
};
/** What an installation without the development's packages lacks, each as its place below the root; none is inside another one of them. */
const forDevelopment = Object.entries(lock.packages)
  .filter(([, { dev, devOptional }]) => dev || devOptional)
  .map(([place]) => place)
  .filter((place, _, all) => !all.some(other => place.startsWith(`${other}/`)));

/**
 * The packages as `npm ci` installed them: those that stay are linked file by file, those that leave before the end as a whole, because
 * they have three quarters of the files.
 */
function installPackages(): void {
  const modules = path.join(root, 'node_modules');
  const places = readdirSync(modules)
    .filter(name => name !== '.cache')
    .flatMap(name => (name.startsWith('@') ? readdirSync(path.join(modules, name)).map(inner => path.join(name, inner)) : name));
  const leaving = new Set(forDevelopment);
  // A workspace is a link already.
  const leaves = (place: string) => leaving.has(`node_modules/${place}`) && lstatSync(path.join(modules, place)).isDirectory();
  for (const [folder, inside] of Map.groupBy(places, place => path.dirname(place))) {
    const target = path.join(clone, 'node_modules', folder);
    mkdirSync(target, { recursive: true });
    for (const place of inside.filter(leaves)) symlinkSync(path.join(modules, place), path.join(clone, 'node_modules', place));
    const staying = inside.filter(place => !leaves(place)).map(place => path.join(modules, place));
    // Copied if a link is impossible, because it is on another disk.
    const link = '[ $# = 0 ] || cp -al -t "$0" "$@" 2>/dev/null || cp -a -t "$0" "$@"';
    execFileSync('sh', ['-c', link, target, ...staying]);
  }
}

/**
 * A clone of the repository's files, with the packages as `npm ci` installed them, linked instead of copied. Nothing is built. The fonts
 * that were cut and the files that were compressed are kept, if the build of this run has just made them: they take half of a build.
 */
beforeAll(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'octavo-clone-'));
  const files = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  for (const file of files.split('\0')) {
    if (file !== '' && existsSync(path.join(root, file)))
      cpSync(path.join(root, file), path.join(clone, file), { preserveTimestamps: true });
  }
  for (const made of ['apps/notebook/dist/page-fonts', 'node_modules/.cache/octavo-compressed']) {
    const from = path.join(root, made);
    if (existsSync(from)) cpSync(from, path.join(clone, made), { recursive: true, preserveTimestamps: true });
  }
  installPackages();
}, 120_000);
afterAll(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    process.kill(-child.pid!, 'SIGKILL');
    await once(child, 'exit');
  }
  rmSync(clone, { recursive: true, force: true });
});

const environment = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: clone,
  DATABASE_URL: 'sqlite:data/documented.db',
  npm_config_update_notifier: 'false',
  ...more,
});

/** Runs the command as a shell would, in the clone. */
function run(command: string): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: clone, env: environment(), encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

/** Starts a command that keeps running, and waits until its output matches. */
async function startUntil(command: string, words: RegExp, env: Record<string, string> = {}) {
  const child = spawn('bash', ['-c', command], { cwd: clone, env: environment(env), detached: true });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  if (!(await whenWritten(child, () => words.test(output)))) throw new Error(`${command} ended:\n${output}`);
  const stop = async () => {
    process.kill(-child.pid!, 'SIGTERM');
    await once(child, 'exit');
  };
  const found = words.exec(output)!;
  // A busy reader may receive the first lines of the log along with it.
  const end = output.indexOf('\n', found.index);
  return { found, output: output.slice(0, end === -1 ? undefined : end), stop };
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return String(typeof address === 'object' && address?.port);
}

/** `octavo …` where the clone's packages are installed: `npx` takes longer than the command. */
const runOctavo = (words: string) => run(`PATH="$PWD/node_modules/.bin:$PATH" octavo ${words}`);

const ofService = /listening on (http:\/\/[\w.:]+)/;
/** npm's own messages about the Node version it runs on. */
const saidByNpm = /^(npm warn .*|> .*|)$/;

/** In this order: later commands use what earlier ones built. */
const executed: Record<string, () => Promise<void> | void> = {
  'npm run build': () => {
    const { code, output } = run('npm run build');
    expect([code, output.split('\n').filter(line => !saidByNpm.test(line))]).toEqual([0, []]);
    const imports = ['@octavo/oidc-rp', '@octavo/saml-sp', '@octavo/sign-in-store'].map(name => `import('${name}')`);
    expect(run(`npx node -e "Promise.all([${imports}])"`)).toMatchObject({ code: 0 });
  },
  'npm ci && npm start': async () => {
    const { output, found, stop } = await startUntil('npm start', ofService, { PORT: await freePort() });
    // Its address, and nothing that would puzzle a newcomer.
    expect(output.split('\n').filter(line => !saidByNpm.test(line) && !ofService.test(line))).toEqual([]);
    writeFileSync(path.join(clone, 'note.md'), '# A note\n');
    const made = run(`curl -sS --data-binary @note.md ${found[1]}/api/quick`);
    expect(made.output).toMatch(/\/n\/[a-z0-9]+/);
    await stop();
  },
  'NODE_ENV=production PUBLIC_URL=https://notes.example.org TRUST_PROXY=127.0.0.1 node apps/notebook/dist/server/main.js':
    async () => {
      const command =
        'NODE_ENV=production PUBLIC_URL=https://notes.example.org TRUST_PROXY=127.0.0.1 node apps/notebook/dist/server/main.js';
      const { stop } = await startUntil(command, ofService, { PORT: await freePort() });
      await stop();
    },
  'npx octavo backup octavo-$(date +%F).db': () => expect(run('npx octavo backup octavo-$(date +%F).db').code).toBe(0),
  'octavo job purge --dry-run --force': () => expect(runOctavo('job purge --dry-run --force').code).toBe(0),
  'octavo job purge --force': () => expect(runOctavo('job purge --force').code).toBe(0),
  '15 3 * * *    octavo job purge': () => expect(runOctavo('job purge').code).toBe(0),
  'npm run dev': async () => {
    const port = await freePort();
    const start = () => startUntil('unset DATABASE_URL; npm run dev', /images in memory/, { PORT: port });
    const first = await start();
    const linksOf = (output: string) => output.match(/\/e\/[\w-]{43}/g);
    expect(linksOf(first.output)).toHaveLength(9);
    for (const state of ['locked', 'expired', 'expiring', 'opens-once', 'guest-book', 'private', 'discussed'])
      expect(first.output).toContain(`\n  ${state}\n`);
    const views = [...first.output.matchAll(/\n {2}([\w-]+)\n {4}view {3}(\S+)/g)];
    const statusOf = async (name: string) => (await fetch(views.find(([, known]) => known === name)![2]!)).status;
    expect([await statusOf('expired'), await statusOf('private'), await statusOf('discussed')]).toEqual([404, 404, 200]);
    await first.stop();
    // Seeded only once, so the links are the same.
    const second = await start();
    expect(linksOf(second.output)).toEqual(linksOf(first.output));
    await second.stop();
  },
  'npx vitest run apps/notebook/src/model': () => {
    const { code, output } = run('npx vitest run --project quick apps/notebook/src/model/slug');
    expect(output).toMatch(/^\d+ passed, 0 failed, \d+ skipped$/m);
    expect(code).toBe(0);
  },
  // This comes last: nothing can be built or tested afterwards.
  'npm prune --omit=dev': async () => {
    // Removes what npm would, according to the lock file; npm itself would ask the registry, which a test must not need.
    for (const place of forDevelopment) rmSync(path.join(clone, place), { recursive: true, force: true });
    for (const name of readdirSync(path.join(clone, 'node_modules')))
      if (name.startsWith('.')) rmSync(path.join(clone, 'node_modules', name), { recursive: true });
    // Everything that a server is given: packages, built programs, sources.
    const [, megabytes] = /^(\d+)\s+total$/m.exec(run('du -smc node_modules apps packages tools/node').output) ?? [];
    expect(Number(megabytes)).toBeLessThanOrEqual(150);
    const [, told] = /(\d+) MB remain in all/.exec(readFileSync(path.join(clone, 'README.md'), 'utf8')) ?? [];
    expect(Math.abs(Number(megabytes) - Number(told))).toBeLessThanOrEqual(10);
    const { found, stop } = await startUntil(`${process.execPath} apps/notebook/dist/server/main.js`, ofService, {
      PORT: await freePort(),
      NODE_ENV: 'production',
    });
    const made = run(`curl -sS --data-binary '# Pruned' ${found[1]}/api/quick`);
    const [place] = /\/n\/[a-z0-9]+/.exec(made.output) ?? [];
    const view = await fetch(`${found[1]}${place}`);
    expect([view.status, await view.text()]).toEqual([200, expect.stringContaining('Pruned</h1>')]);
    await stop();
    const saved = run(`${process.execPath} apps/notebook/dist/server/cli.js backup pruned.db`);
    expect([saved.code, saved.output]).toEqual([0, expect.any(String)]);
  },
};

/** Tested elsewhere, so not repeated here. */
const elsewhere: Record<string, string> = {
  'npm ci': '.ci/run',
  'npm test': '.ci/run',
  'npm run format && npm run lint && npm run types': '.ci/run, which runs lint and types',
  'npm run test:quick': '.ci/run: the project `quick` is a part of npm test',
  'curl --data-binary @note.md http://localhost:3000/api/quick': 'above, at the address of npm start',
  'octavo push intro.md plan.md --server https://notes.example': 'apps/notebook/test/commands/push-pull.test.ts',
  'octavo push plan.md': 'apps/notebook/test/commands/push-pull.test.ts',
  'octavo pull https://notes.example/n/SLUG': 'apps/notebook/test/commands/push-pull.test.ts',
  '45 3 * * 0    octavo job sweep': 'apps/notebook/test/objects/in-the-service.test.ts, which has an image store',
  '0  4 */3 * *  octavo job keep-alive': 'apps/notebook/test/commands/commands.test.ts, beside a service',
};

describe('the command lines of README, CONTRIBUTING and docs/', () => {
  it('are all known here', () => {
    const documented = findCommands(root);
    expect(documented.length).toBeGreaterThan(15);
    const known = new Set([...Object.keys(executed), ...Object.keys(elsewhere)]);
    expect(documented.filter(({ command }) => !known.has(command))).toEqual([]);
    const commands = new Set(documented.map(({ command }) => command));
    expect([...known].filter(command => !commands.has(command))).toEqual([]);
  });

  it('before the build, `npx octavo` says what is missing', () => {
    const { code, output } = run('npx octavo backup a.db');
    expect([code, output]).toEqual([1, expect.stringContaining('Run `npm run build` first')]);
  });

  it.each(Object.keys(executed))('%s', { timeout: 300_000 }, command => executed[command]!());
});
