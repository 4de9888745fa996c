import { execSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { buildCardFonts } from './card-fonts.ts';
import { buildPageFonts } from './page-fonts.ts';
import { precompress } from './precompress.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const notebook = fileURLToPath(new URL('../apps/notebook/', import.meta.url));
const stamp = join(notebook, 'dist/built');
/** For what `npm run dev` builds. */
const quickStamp = join(notebook, 'dist/built-quickly');
/** What the last build compressed. */
const compressed = join(root, 'node_modules/.cache/octavo-compressed');
const gate = fileURLToPath(new URL('../apps/gate/', import.meta.url));

/** The sources of the program; tests and documents are not among them. */
const sources = [
  'src',
  'content',
  'public',
  'package.json',
  'vite.config.ts',
  'vite.server.config.ts',
  '../../package-lock.json',
  '../../tools/build.ts',
  '../../tools/card-fonts.ts',
  '../../tools/page-fonts.ts',
  '../../tools/precompress.ts',
  '../../tools/font-names.ts',
];

/** Cutting the fonts takes three seconds, and their sources hardly ever change. */
const fontSources = ['package-lock.json', 'tools/page-fonts.ts', 'tools/font-names.ts'];
const pageFonts = join(notebook, 'dist/page-fonts');

const gateSources = [
  'src',
  'package.json',
  'vite.server.config.ts',
  '../../packages/oidc-rp/src',
  '../../packages/saml-sp/src',
  '../../packages/sign-in-store/src',
];

function newestChange(path: string): number {
  if (!existsSync(path)) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return path.endsWith('.test.ts') || path.endsWith('.test.tsx') ? 0 : stats.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestChange(join(path, name))), stats.mtimeMs);
}

/** @param mark the file that was written when it was built */
function isStale(mark: string): boolean {
  if (!existsSync(mark)) return true;
  const built = statSync(mark).mtimeMs;
  return [...sources.map(source => join(notebook, source)), ...gateSources.map(source => join(gate, source))].some(
    path => newestChange(path) > built,
  );
}

const untimed = { rolldownOptions: { checks: { bundlerTimings: false } } };
/** Faults are shown. How long each plugin took on a slow machine would only puzzle a newcomer. */
const quiet = { logLevel: 'warn', build: untimed, worker: untimed } as const;

/** Builds only the notebook's server program, in a fraction of a second. */
async function buildServer(): Promise<void> {
  await build({ root: notebook, configFile: join(notebook, 'vite.server.config.ts'), ...quiet });
  // `npx octavo` runs the file itself.
  chmodSync(join(notebook, 'dist/server/cli.js'), 0o755);
}

async function buildGate(): Promise<void> {
  await build({ root: gate, configFile: join(gate, 'vite.server.config.ts'), ...quiet });
  chmodSync(join(gate, 'dist/server/cli.js'), 0o755);
}

/**
 * Builds the notebook service for its developer: scripts neither minified nor compressed, which would take most of the time.
 * @param needsClient false when nothing changed that a browser runs
 */
export async function buildQuickly(needsClient: boolean): Promise<void> {
  const started = new Date();
  const fonts = join(notebook, 'dist/fonts');
  await Promise.all([buildServer(), needsClient && buildClientQuickly(), existsSync(fonts) || buildCardFonts(fonts)]);
  writeFileSync(quickStamp, '');
  utimesSync(quickStamp, started, started);
}

/** Uses what `npm run dev` left, or a full build made since. */
export async function buildQuicklyIfStale(): Promise<void> {
  if (isStale(quickStamp) && isStale(stamp)) await buildQuickly(true);
}

async function buildClientQuickly(): Promise<void> {
  // `npm start` and the tests need minified scripts.
  rmSync(stamp, { force: true });
  const configFile = join(notebook, 'vite.config.ts');
  await buildPageFontsIfStale();
  await build({ root: notebook, configFile, ...quiet, build: { ...untimed, minify: false } });
}

async function buildPageFontsIfStale(): Promise<void> {
  const made = join(pageFonts, 'made');
  const changed = fontSources.map(source => newestChange(fileURLToPath(new URL(`../${source}`, import.meta.url))));
  if (existsSync(made) && Math.max(...changed) <= statSync(made).mtimeMs) return;
  const started = new Date();
  await buildPageFonts(pageFonts);
  writeFileSync(made, '');
  utimesSync(made, started, started);
}

/**
 * Builds beside what is there, and then takes its place: a service that runs from this folder has its files all the time. The build before
 * is kept for the windows that it made (http/files/built-files.ts).
 */
async function buildClient(): Promise<void> {
  const [client, next, former] = ['client', 'client-next', 'former'].map(name => join(notebook, 'dist', name)) as [
    string,
    string,
    string,
  ];
  await build({
    root: notebook,
    configFile: join(notebook, 'vite.config.ts'),
    ...quiet,
    build: { ...untimed, outDir: next, emptyOutDir: true },
  });
  await precompress(next, compressed);
  if (existsSync(client)) {
    rmSync(former, { recursive: true, force: true });
    renameSync(client, former);
  }
  renameSync(next, client);
}

/** Builds the notebook service's browser and server programs and the gate, each into its `dist`. */
export async function buildAll(): Promise<void> {
  const started = new Date();
  // Beside each other: what each does in turn leaves a second core idle.
  await Promise.all([
    buildPageFontsIfStale().then(buildClient),
    buildServer(),
    buildCardFonts(join(notebook, 'dist/fonts')),
    buildGate(),
  ]);
  rmSync(quickStamp, { force: true });
  writeFileSync(stamp, `${started.toISOString()}\n`);
}

/** @param onStart called before a build, which takes long on a slow machine */
export async function buildIfStale(onStart?: () => void): Promise<boolean> {
  if (!isStale(stamp)) return false;
  onStart?.();
  await buildAll();
  return true;
}

/**
 * The packages as they are published, so that a program in the repository can import them by name. The gate bundles them, built
 * from their sources.
 */
function buildPackages(): void {
  for (const name of ['sign-in-store', 'oidc-rp', 'saml-sp'])
    execSync(`npm run build --silent -w @octavo/${name}`, { cwd: root, stdio: 'inherit' });
}

if (import.meta.main) {
  buildPackages();
  await buildAll();
}
