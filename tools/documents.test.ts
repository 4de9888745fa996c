import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateRooms, oidcRooms, rooms, samlRooms } from './imports/rooms.ts';
import { readWorkspaces } from './imports/workspaces.ts';

const root = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The words in backticks in the tables' first column. */
function firstColumn(markdown: string): string[] {
  return [...markdown.matchAll(/^\| `([^`]+)` \|/gm)].map(match => match[1]!);
}

describe('docs/dependencies.md', () => {
  const sections = new Map(
    read('docs/dependencies.md')
      .split(/^## /m)
      .slice(1)
      .map(section => [section.split('\n', 1)[0]!, firstColumn(section)]),
  );

  it.each(readWorkspaces(root).map(workspace => [workspace.folder, [...workspace.dependencies]]))(
    'gives the reasons for %s',
    (folder, names) => {
      expect(sections.get(folder as string) ?? []).toEqual([...(names as string[])].sort());
    },
  );
});

describe('docs/configuration.md', () => {
  it('names exactly the variables that config.ts reads', () => {
    const variables = new Set(read('apps/notebook/src/config.ts').match(/(?<=')[A-Z][A-Z0-9_]{3,}(?=')/g));
    expect(new Set(firstColumn(read('docs/configuration.md')))).toEqual(variables);
  });
});

describe('docs/architecture.md', () => {
  it.each([
    ['apps/notebook', 'Who may import whom', rooms],
    ['apps/gate', 'Rooms of apps/gate/src', gateRooms],
    ['packages/oidc-rp', 'Rooms of packages/oidc-rp/src', oidcRooms],
    ['packages/saml-sp', 'Rooms of packages/saml-sp/src', samlRooms],
  ])('shows the table of directions that the check enforces in %s', (_app, heading, table) => {
    const section = read('docs/architecture.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const shown = [...section.matchAll(/^\| `([\w/-]+)` \| (everything|nothing of ours|`.*) \|$/gm)].map(
      ([, room, list = '']) => [
        room,
        list === 'nothing of ours'
          ? []
          : list === 'everything'
            ? ['*']
            : list.split(', ').map(entry => entry.replaceAll('`', '')),
      ],
    );
    expect(Object.fromEntries(shown)).toEqual(table);
  });
});

/** The folders of a picture that indents by two; a line may have several side by side. */
function picturedFolders(picture: string): string[] {
  const above: string[] = [];
  return picture.split('\n').flatMap(line => {
    const depth = /^ */.exec(line)![0].length / 2;
    const names = /^ *((?:[a-z-]+\/ ?)+)/.exec(line)?.[1]?.trim().split('/ ') ?? [];
    above.length = depth;
    above[depth] = names.at(-1)!.replace('/', '');
    return names.map(name => [...above.slice(0, depth), name.replace('/', '')].join('/'));
  });
}

describe('the pictures of docs/architecture.md', () => {
  it('show each folder of apps/notebook/src/browser', () => {
    const picture = /^```\n(browser\/\n[^`]*)\n```/m.exec(read('docs/architecture.md'))![1]!;
    const folders = globSync('browser/**/', { cwd: path.join(root, 'apps/notebook/src') }).map(folder =>
      folder.replaceAll(path.sep, '/'),
    );
    expect(folders.length).toBeGreaterThan(20);
    expect(picturedFolders(picture).sort()).toEqual(folders.map(folder => folder.replace(/\/$/, '')).sort());
  });

  it.each([
    ['apps/notebook/src', 'Rooms of apps/notebook/src'],
    ['apps/gate/src', 'Rooms of apps/gate/src'],
    ['packages/oidc-rp/src', 'Rooms of packages/oidc-rp/src'],
    ['packages/saml-sp/src', 'Rooms of packages/saml-sp/src'],
  ])('the list of rooms names each folder of %s', (source, heading) => {
    const section = read('docs/architecture.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const described = new Set([...section.matchAll(/`([a-z-]+)\/`/g)].map(match => match[1]!));
    const folders = globSync('*/', { cwd: path.join(root, source) }).map(folder => folder.replace(/[\\/]$/, ''));
    expect(folders.length).toBeGreaterThan(3);
    expect(folders.filter(folder => !described.has(folder))).toEqual([]);
  });
});

describe('links between documents', () => {
  const documents = globSync('{*.md,docs/**/*.md,packages/*/README.md,apps/*/README.md}', { cwd: root });

  it.each(documents)('%s links only to files that exist', document => {
    const targets = [...read(document).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)].map(match => match[1]!);
    expect(targets.filter(target => !existsSync(path.join(root, path.dirname(document), target)))).toEqual([]);
  });
});

describe('files that are named', () => {
  const isOurs = (file: string) => !/(^|\/)(node_modules|dist|\.cache)\//.test(file);
  const files = globSync('{*.ts,{apps,packages,tools,bench}/**/*.{ts,tsx,css,sql}}', { cwd: root }).filter(isOurs);
  const ends = new Set(files.flatMap(file => file.split(path.sep).map((_, at, parts) => parts.slice(at).join('/'))));
  const missing = (text: string, name: RegExp) =>
    [...text.matchAll(name)].map(match => match[1]!).filter(file => !ends.has(file));

  it('in documents exist', () => {
    const documents = globSync('{README,CONTRIBUTING,SECURITY}.md', { cwd: root }).concat(
      globSync('{docs/**/*.md,{apps,packages}/*/README.md}', { cwd: root }),
    );
    expect(documents.length).toBeGreaterThan(50);
    // In backticks, with a folder or without.
    const found = documents.map(document => [document, missing(read(document), /`([\w./-]+\.(?:tsx?|css|sql))`/g)] as const);
    expect(found.filter(([, names]) => names.length > 0)).toEqual([]);
  });

  it('in comments exist', () => {
    // An example for other people's applications names their files.
    const sources = files.filter(file => /\.(?:tsx?|css)$/.test(file) && !file.endsWith('examples/next.ts'));
    const found = sources.flatMap(source => {
      const comments = read(source).match(/^\s*(?:\/\/|\/?\*).*|\/\/ .*/gm) ?? [];
      const names = missing(comments.join('\n'), /(?<![\w./@-])((?:[\w-]+\/)*[a-z][\w-]+\.tsx?)\b(?!\.)/g);
      return names.map(name => `${source}: ${name}`);
    });
    expect(found).toEqual([]);
  });
});

describe('docs/decisions/README.md', () => {
  it('lists every record, in order', () => {
    const records = globSync('docs/decisions/[0-9]*.md', { cwd: root }).map(file => path.basename(file));
    const listed = [...read('docs/decisions/README.md').matchAll(/^\| \[\d+\]\(([^)]+)\)/gm)].map(match => match[1]);
    expect(listed).toEqual(records.sort());
  });
});

describe('tools/debian-packages.txt', () => {
  it('says why each package is wanted', () => {
    const lines = read('tools/debian-packages.txt')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'));
    expect(lines.filter(line => !/^[a-z0-9.+-]+ +\S.{8,}$/.test(line))).toEqual([]);
  });
});
