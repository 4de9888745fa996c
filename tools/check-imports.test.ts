import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkImports } from './check-imports.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

const workspaces = {
  'apps/notebook/package.json':
    '{"name":"@octavo/notebook","dependencies":{"pg":"1"},"devDependencies":{"@types/hast":"1","inter":"1"}}',
  'apps/gate/package.json': '{"name":"@octavo/gate","dependencies":{"@octavo/oidc-rp":"1","@octavo/saml-sp":"1"}}',
  'packages/oidc-rp/package.json': '{"name":"@octavo/oidc-rp","dependencies":{"jose":"1"}}',
  'packages/saml-sp/package.json': '{"name":"@octavo/saml-sp"}',
  'packages/sign-in-store/package.json': '{"name":"@octavo/sign-in-store"}',
};

/** The verdicts on a tree with the four workspaces and these files. */
function check(files: Record<string, string>): string[] {
  const root = mkdtempSync(path.join(tmpdir(), 'octavo-imports-'));
  made.push(root);
  for (const [file, text] of Object.entries({ ...workspaces, ...files })) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return checkImports(root);
}

const from = (target: string) => `import { a } from '${target}';\na();\n`;
const typesFrom = (target: string) => `import type { A } from '${target}';\nexport type B = A;\n`;

describe('rooms of apps/notebook', () => {
  const src = 'apps/notebook/src';

  it('names both files and what would be allowed', () => {
    expect(check({ [`${src}/operations/view-notebook.ts`]: from('../views/view.tsx') })).toEqual([
      `${src}/operations/view-notebook.ts imports views/view.tsx: operations may import only api/page-answer, event-loop-turns, model, markdown, errors, limits, store/store, objects/object-store, images/image-checker, images/card-painter`,
    ]);
  });

  it.each([
    ['operations', '../store/sqlite.ts'],
    ['operations', '../routes/view.ts'],
    ['operations', '../http/cookies.ts'],
    ['routes', '../store/store.ts'],
    ['routes', '../markdown/render.ts'],
    ['jobs', '../store/store.ts'],
    ['store', '../operations/purge.ts'],
    ['store', '../http/cookies.ts'],
    ['views', '../operations/view-notebook.ts'],
    ['views', '../model/notebook.ts'],
    ['browser/api', '../../model/notebook.ts'],
    ['browser/site', '../../views/view.tsx'],
    ['browser/session', '../panels/settings-dialog.tsx'],
    ['browser/session', '../field/text/text-edit.ts'],
    ['browser/merge', '../session/autosave.ts'],
    ['browser/field', '../panels/settings-dialog.tsx'],
    ['browser/field/text', '../paste/wire-paste.ts'],
    ['browser/panels', '../editor/editor.tsx'],
    ['browser/panels/share', '../import/read-import.ts'],
    ['browser/ui', '../session/notebook-session.ts'],
    ['browser/preview', '../editor/editor.tsx'],
    ['model', '../store/store.ts'],
    ['http', '../operations/purge.ts'],
    ['markdown', '../model/notebook.ts'],
  ])('%s does not import %s', (room, target) => {
    expect(check({ [`${src}/${room}/a.ts`]: from(target) })).toHaveLength(1);
  });

  it.each([
    ['operations', '../store/store.ts'],
    ['operations', '../model/notebook.ts'],
    ['routes', '../views/view.tsx'],
    ['store', '../errors.ts'],
    ['browser/session', '../../limits.ts'],
    ['browser/session', './drafts.ts'],
    ['browser/editor', '../field/formatting/actions.ts'],
    ['browser/panels/share', '../settings-dialog.tsx'],
    ['views', '../../content/welcome.md?raw'],
  ])('%s imports %s', (room, target) => {
    expect(check({ [`${src}/${room}/a.ts`]: from(target) })).toEqual([]);
  });

  it('allows only types where the table says so', () => {
    expect(check({ [`${src}/views/a.tsx`]: typesFrom('../model/notebook.ts') })).toEqual([]);
    expect(check({ [`${src}/operations/a.ts`]: typesFrom('../views/view.tsx') })).toHaveLength(1);
  });

  it('lets app.ts know every room, and main.ts only the watchdog', () => {
    expect(check({ [`${src}/app.ts`]: from('./store/sqlite.ts') })).toEqual([]);
    expect(check({ [`${src}/main.ts`]: from('./store/sqlite.ts') })).toHaveLength(1);
  });

  it.each(['services', 'browser/widgets', 'browser/field/keys'])('asks to add the new room %s to the table first', room => {
    const up = room.replaceAll(/[^/]+/g, '..');
    expect(check({ [`${src}/${room}/a.ts`]: from(`${up}/limits.ts`) })[0]).toContain('is in an unknown room');
  });

  it("lets field, panels and ui import a session's types, not its code", () => {
    for (const room of ['field', 'panels', 'ui']) {
      expect(check({ [`${src}/browser/${room}/a.ts`]: typesFrom('../session/notebook-session.ts') })).toEqual([]);
      expect(check({ [`${src}/browser/${room}/a.ts`]: from('../session/notebook-session.ts') })).toHaveLength(1);
    }
  });

  it.each([
    ['a re-export', "export { a } from '../views/view.tsx';"],
    ['a re-export of everything', "export * from '../views/view.tsx';"],
    ['an import for its effect', "import '../views/view.tsx';"],
    ['an import at run time', "const a = await import('../views/view.tsx');\na.b();"],
    ['an import by template', 'const a = await import(`../views/view.tsx`);\na.b();'],
    ['a type in place', "export type A = import('../views/view.tsx').A;"],
    ['a worker by address', "new Worker(new URL('../views/view.tsx', import.meta.url));"],
    ['an import over several lines', "import {\n  a,\n} from '../views/view.tsx';\na();"],
  ])('sees %s', (_, text) => {
    expect(check({ [`${src}/operations/a.ts`]: text })).toHaveLength(1);
  });

  it.each([
    ['a comment', "// import { a } from '../views/view.tsx';\n/*\nimport '../views/view.tsx';\n*/"],
    ['a string', 'export const a = "import x from \'../views/view.tsx\'";'],
    ['a template', "export const a = `\nimport x from '../views/view.tsx';\n`;"],
  ])('does not mistake %s for an import', (_, text) => {
    expect(check({ [`${src}/operations/a.ts`]: text })).toEqual([]);
  });

  it('lets tests import within their workspace, but not the program import tests', () => {
    expect(check({ [`${src}/operations/a.test.ts`]: from('../views/view.tsx') })).toEqual([]);
    expect(check({ [`${src}/operations/a.ts`]: from('../../test/support/postgres.ts') })[0]).toContain(
      'does not import its tests',
    );
  });
});

describe('rooms of the packages', () => {
  it.each([
    ['oidc-rp', 'values', '../keys/jwks.ts'],
    ['oidc-rp', 'keys', '../tokens/id-token.ts'],
    ['oidc-rp', 'tokens', '../sign-in/callback.ts'],
    ['oidc-rp', 'client', '../provider/provider.ts'],
    ['saml-sp', 'xml', '../keys/signature.ts'],
    ['saml-sp', 'idp', '../sp/configuration.ts'],
    ['saml-sp', 'assertion', '../sign-in/response.ts'],
  ])('in %s, %s does not import %s', (name, room, target) => {
    expect(check({ [`packages/${name}/src/${room}/a.ts`]: from(target) })).toHaveLength(1);
  });

  it('let an entry import every room, and ask to add a new one to the table first', () => {
    expect(check({ 'packages/oidc-rp/src/index.ts': from('./keys/jwks.ts') })).toEqual([]);
    expect(check({ 'packages/saml-sp/src/crypto/a.ts': from('../errors.ts') })[0]).toContain('is in an unknown room');
  });
});

describe('import cycles', () => {
  const src = 'apps/notebook/src';

  it('are refused between files, including types', () => {
    const verdicts = check({ [`${src}/store/a.ts`]: typesFrom('./b.ts'), [`${src}/store/b.ts`]: typesFrom('./a.ts') });
    expect(verdicts).toEqual([`${src}/store/a.ts → ${src}/store/b.ts → ${src}/store/a.ts: an import cycle (types count)`]);
  });

  it('are refused in packages', () => {
    const src = 'packages/oidc-rp/src/keys';
    const files = { [`${src}/a.ts`]: from('./b.ts'), [`${src}/b.ts`]: from('./c.ts'), [`${src}/c.ts`]: typesFrom('./a.ts') };
    expect(check(files)).toHaveLength(1);
  });

  it('are refused between rooms even if no files form one', () => {
    const verdicts = check({
      [`${src}/store/a.ts`]: typesFrom('../model/b.ts'),
      [`${src}/model/b.ts`]: 'export type A = 1;',
      [`${src}/model/c.ts`]: typesFrom('../store/d.ts'),
      [`${src}/store/d.ts`]: 'export type A = 1;',
    });
    expect(verdicts).toContain('model → store → model: a cycle of rooms (types count)');
  });

  it('are not reported where files only share a dependency', () => {
    const files = { [`${src}/store/a.ts`]: from('./c.ts'), [`${src}/store/b.ts`]: from('./c.ts'), [`${src}/store/c.ts`]: '' };
    expect(check(files)).toEqual([]);
  });
});

describe('walls between workspaces', () => {
  it.each([
    ['apps/notebook/src/routes/a.ts', '@octavo/oidc-rp', 'the notebook service uses no workspace package'],
    ['apps/notebook/test/a.test.ts', '@octavo/oidc-rp', 'the notebook service uses no workspace package'],
    ['packages/oidc-rp/src/a.ts', '@octavo/saml-sp', 'packages import neither apps nor each other'],
    ['packages/oidc-rp/src/a.ts', '@octavo/sign-in-store', 'packages import neither apps nor each other'],
    ['packages/oidc-rp/examples/a.ts', '@octavo/saml-sp', 'packages import neither apps nor each other'],
    ['packages/oidc-rp/test/a.test.ts', '@octavo/notebook', 'packages import neither apps nor each other'],
    ['packages/oidc-rp/src/a.ts', '../../saml-sp/src/xml/xml.ts', 'a relative import stays inside packages/oidc-rp'],
    ['packages/oidc-rp/test/a.test.ts', '../../saml-sp/src/xml/xml.ts', 'a relative import stays inside packages/oidc-rp'],
    ['apps/gate/src/decide.ts', '@octavo/oidc-rp', 'only apps/gate/src/sign-in/oidc.ts does'],
    ['apps/gate/src/sign-in/oidc.ts', '@octavo/saml-sp', 'only apps/gate/src/sign-in/saml.ts does'],
    ['apps/gate/src/a.ts', '@octavo/notebook', 'nothing imports an app'],
    ['packages/oidc-rp/src/a.ts', '../../../tools/build.ts', 'a relative import stays inside packages/oidc-rp'],
  ])('%s does not import %s', (file, target, why) => {
    const verdicts = check({ [file]: from(target) });
    expect(verdicts).toHaveLength(1);
    expect(verdicts[0]).toContain(why);
  });

  it("lets a package's examples and tests import the store", () => {
    expect(check({ 'packages/oidc-rp/examples/a.ts': from('@octavo/sign-in-store') })).toEqual([]);
    expect(check({ 'packages/saml-sp/test/a.test.ts': from('@octavo/sign-in-store') })).toEqual([]);
  });

  it('lets the gate import each package in one file', () => {
    expect(check({ 'apps/gate/src/sign-in/oidc.ts': from('@octavo/oidc-rp') })).toEqual([]);
    expect(check({ 'apps/gate/src/sign-in/saml.ts': from('@octavo/saml-sp') })).toEqual([]);
  });
});

describe('packages from npm', () => {
  it('must be declared where they are used', () => {
    expect(check({ 'packages/oidc-rp/src/a.ts': `${from('jose')}${from('node:crypto').replaceAll('a', 'b')}` })).toEqual([]);
    expect(check({ 'packages/oidc-rp/src/a.ts': from('pg') })[0]).toContain('not in the dependencies of packages/oidc-rp');
  });

  it('may be development dependencies if bundled or only types', () => {
    expect(check({ 'apps/notebook/src/browser/a.ts': "import 'inter/wght.css';" })).toEqual([]);
    expect(check({ 'apps/notebook/src/markdown/a.ts': typesFrom('hast') })).toEqual([]);
    expect(check({ 'apps/notebook/src/markdown/a.ts': from('inter') })).toHaveLength(1);
  });
});

describe('the environment', () => {
  it.each([
    'process.env.PORT',
    'globalThis.process.env.PORT',
    "import { env } from 'node:process';\nenv.PORT",
    'const { env } = process;\nenv.PORT',
  ])('is not read by %s outside config.ts', text => {
    expect(check({ 'apps/notebook/src/routes/a.ts': `${text};` })[0]).toContain('reads process.env');
    expect(check({ 'packages/oidc-rp/src/a.ts': `${text};` })[0]).toContain('reads process.env');
    expect(check({ 'apps/notebook/src/config.ts': `${text};` })).toEqual([]);
  });

  it('is not read by a config.ts elsewhere', () => {
    expect(check({ 'apps/gate/src/rules/config.ts': 'process.env.A;' })).toHaveLength(1);
  });
});

describe('names', () => {
  it.each([
    'apps/notebook/src/utils.ts',
    'apps/notebook/src/model/helpers.ts',
    'packages/oidc-rp/src/shared/a.ts',
    'apps/gate/src/index.ts',
    'tools/common.ts',
    'packages/oidc-rp/src/jwt/index.ts',
  ])('%s is refused', file => {
    expect(check({ [file]: '' }).some(verdict => verdict.includes('name it after what it contains'))).toBe(true);
  });

  it('allows one index.ts per package', () => {
    expect(check({ 'packages/oidc-rp/src/index.ts': '' })).toEqual([]);
  });
});

it('names a file that cannot be parsed', () => {
  expect(() => check({ 'apps/notebook/src/app.ts': 'import {' })).toThrow(/app\.ts cannot be parsed/);
});

// It parses every source, which takes a busy machine longer than most tests may.
it('finds nothing to fix in this repository', () => {
  expect(checkImports(path.join(import.meta.dirname, '..'))).toEqual([]);
}, 120_000);
