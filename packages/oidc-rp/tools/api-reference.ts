import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const home = path.join(import.meta.dirname, '..');

// Entries of one framework each; they share their names.
const adapters = ['express', 'fastify', 'hono', 'next'];

/** One exported name: what its docstring says and what its declaration looks like. */
interface Entry {
  name: string;
  words: string;
  declaration: string;
}

/** The API reference as markdown, made of the declarations and docstrings that the compiler emits. */
export function renderApiReference(): string {
  const entries = readDeclarations();
  const section = (entry: string, title: string) => {
    const names = exportedNames(path.join(home, 'src', entry));
    return [`## ${title}`, ...names.map(name => renderEntry(entries.get(name) ?? missing(name)))];
  };
  return [
    '# API reference of `@octavo/oidc-rp`',
    'Made from the docstrings by `npm run api -w @octavo/oidc-rp`; a test keeps it current. Times are seconds since 1970 unless a name says `Ms`.',
    ...section('index.ts', '`@octavo/oidc-rp`'),
    ...section('native.ts', '`@octavo/oidc-rp/native`'),
    ...adapters.flatMap(adapter => [
      `## \`@octavo/oidc-rp/${adapter}\``,
      ...[...entries].filter(([key]) => key.startsWith(`${adapter}:`)).map(([, entry]) => renderEntry(entry)),
    ]),
    '## Error codes',
    renderCatalogue(),
    '',
  ].join('\n\n');
}

function renderEntry({ name, words, declaration }: Entry): string {
  return [`### \`${name}\``, words, `\`\`\`ts\n${declaration}\n\`\`\``].filter(part => part !== '').join('\n\n');
}

function renderCatalogue(): string {
  const text = readFileSync(path.join(home, 'src/errors.ts'), 'utf8');
  const rows = [...text.matchAll(/^ {2}(OIDC_\w+): '(.*)',$/gm)].map(([, code, sentence]) => `| \`${code}\` | ${sentence} |`);
  return ['| Code | Meaning |', '|---|---|', ...rows].join('\n');
}

function exportedNames(file: string): string[] {
  const lists = [...readFileSync(file, 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g)].map(match => match[1]!);
  return lists
    .flatMap(list => list.split(',').map(name => name.replace(/\btype\b/, '').trim()))
    .filter(name => name !== '')
    .sort();
}

function readDeclarations(): Map<string, Entry> {
  const folder = mkdtempSync(path.join(tmpdir(), 'api-reference-'));
  try {
    const compiler = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const options = ['-p', path.join(home, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', folder];
    execFileSync(process.execPath, [compiler, ...options], { cwd: home });
    const files = globSync('**/*.d.ts', { cwd: folder }).sort();
    return new Map(files.flatMap(file => keyed(file, readEntries(readFileSync(path.join(folder, file), 'utf8')))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function keyed(file: string, entries: Entry[]): [string, Entry][] {
  const adapter = adapters.find(name => file === `${name}.d.ts`);
  return entries.map(entry => [adapter === undefined ? entry.name : `${adapter}:${entry.name}`, entry]);
}

function readEntries(text: string): Entry[] {
  const pattern = /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:declare )?(?:class|function|interface|type|const) (\w+)/g;
  return [...text.matchAll(pattern)].map(match => {
    const start = match.index + (match[1]?.length ?? 0);
    return {
      name: match[2]!,
      words: readWords(match[1] ?? ''),
      declaration: text.slice(start, endOfStatement(text, start)).replace('declare ', ''),
    };
  });
}

/** A statement ends with the line before the next one that begins at the margin with a comment or an export. */
function endOfStatement(text: string, start: number): number {
  const next = /\n(?=\/\*\*|export |import |declare |\/\/#)/g;
  next.lastIndex = start;
  const end = next.exec(text)?.index ?? text.length;
  return start + text.slice(start, end).trimEnd().length;
}

function readWords(comment: string): string {
  const lines = comment
    .trim()
    .replace(/^\/\*\*|\*\/$/g, '')
    .split('\n')
    .map(line => line.trim().replace(/^\* ?/, ''));
  const text = lines
    .join('\n')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .trim();
  return text.replace(/^@example\n/gm, '\nExample:\n\n').replace(/^@(\w+) ?(?=\S)/gm, '\n*$1:* ');
}

function missing(name: string): never {
  throw new Error(`${name} is exported but nowhere declared`);
}
