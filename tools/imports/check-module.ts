import { isBuiltin } from 'node:module';
import path from 'node:path';
import type { ModuleFacts, Reach } from './read-module.ts';
import { emptyNames, environmentRooms, gateDoors, gateRooms, nestedRooms, oidcRooms, rooms, samlRooms } from './rooms.ts';
import { isTest, type Workspace } from './workspaces.ts';

export const notebookSources = 'apps/notebook/src/';

/** The workspaces that have rooms, with their tables. */
const drawn: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [notebookSources]: rooms,
  'apps/gate/src/': gateRooms,
  'packages/oidc-rp/src/': oidcRooms,
  'packages/saml-sp/src/': samlRooms,
};

export const drawnSources: readonly string[] = Object.keys(drawn);

/** The sources with rooms that the file belongs to; undefined for tools, tests outside `src` and what has no rooms. */
export function sourcesOf(file: string): string | undefined {
  return drawnSources.find(sources => file.startsWith(sources));
}

/** Every rule that the file breaks, one sentence each. Paths are relative to the repository's root. */
export function checkModule(file: string, facts: ModuleFacts, home: Workspace, all: readonly Workspace[]): string[] {
  const verdicts = facts.reaches.map(reach => checkReach(file, reach, home, all)).filter(verdict => verdict !== undefined);
  if (facts.readsEnvironment && !isTest(file) && !mayReadEnvironment(file)) {
    verdicts.push(
      `${file} reads process.env: only config.ts does, and main.ts, service.ts, record-ending.ts and cli.ts hand it over`,
    );
  }
  return verdicts;
}

/** A name that says nothing about its file: `utils`, `helpers`, `index`. */
export function checkName(file: string): string | undefined {
  if (/^packages\/[^/]+\/src\/index\.ts$/.test(file)) return undefined;
  const empty = file.split('/').find(part => emptyNames.has(part.split('.', 1)[0]!.toLowerCase()));
  return (
    empty && `${file} is called ${empty}: name it after what it contains (one index.ts per package, in its src, is the exception)`
  );
}

function mayReadEnvironment(file: string): boolean {
  const inApp = /^apps\/[^/]+\/src\/([^/]+)\.ts$/.exec(file);
  return inApp !== null && environmentRooms.includes(inApp[1]!);
}

function checkReach(file: string, reach: Reach, home: Workspace, all: readonly Workspace[]): string | undefined {
  const specifier = reach.specifier.split('?', 1)[0]!;
  if (specifier.startsWith('.'))
    return checkRelative(file, path.posix.join(path.posix.dirname(file), specifier), reach, home, all);
  const name = packageName(specifier);
  const workspace = all.find(other => other.name === name);
  return workspace ? checkWorkspace(file, workspace, home) : checkNpm(file, name, reach, home);
}

function checkRelative(
  file: string,
  target: string,
  reach: Reach,
  home: Workspace,
  all: readonly Workspace[],
): string | undefined {
  const owner = all.find(other => target.startsWith(`${other.folder}/`));
  if (owner !== home) {
    if (!owner && isTest(file)) return undefined;
    return `${file} imports ${target}: a relative import stays inside ${home.folder}`;
  }
  if (isTest(file)) return undefined;
  if (/\.tsx?$/.test(target) && isTest(target)) return `${file} imports ${target}: the program does not import its tests`;
  const sources = sourcesOf(file);
  if (sources === undefined || !target.startsWith(sources)) return undefined;
  return checkRooms(file, sources, target.slice(sources.length), reach);
}

function checkRooms(file: string, sources: string, target: string, reach: Reach): string | undefined {
  const room = roomOf(file.slice(sources.length));
  const allowed = drawn[sources]?.[room];
  if (!allowed) return `${file} is in an unknown room: add ${room} to tools/imports/rooms.ts`;
  const theirs = roomOf(target);
  if (room === theirs || allowed.some(entry => allows(entry, room, theirs, target, reach))) return undefined;
  const rule = allowed.length === 0 ? `${room} may import no other room` : `${room} may import only ${allowed.join(', ')}`;
  return `${file} imports ${target}: ${rule}`;
}

function allows(entry: string, room: string, theirs: string, target: string, reach: Reach): boolean {
  if (entry === '*') return true;
  const types = / \(types\)$/.test(entry);
  if (types && !reach.typeOnly) return false;
  const name = entry.replace(/ \(types\)$/, '');
  if (theirs === name || target.replace(/\.tsx?$/, '') === name) return true;
  return theirs.startsWith(`${name}/`) && !room.startsWith(`${name}/`);
}

/** `target` is a path from the sources. Nested rooms are checked folder by folder. */
export function roomOf(target: string): string {
  const [first, ...rest] = target.split('/');
  if (rest.length === 0) return first!.replace(/\.tsx?$/, '');
  return nestedRooms.has(first!) ? [first, ...rest.slice(0, -1)].join('/') : first!;
}

function checkWorkspace(file: string, other: Workspace, home: Workspace): string | undefined {
  if (other === home) return undefined;
  if (home.folder === 'apps/notebook') return `${file} imports ${other.name}: the notebook service uses no workspace package`;
  // Examples show how the packages work together; published code imports none of them.
  const isShown = isTest(file) || file.startsWith(`${home.folder}/examples/`);
  if (home.folder.startsWith('packages/') && isShown && other.folder === 'packages/sign-in-store') return undefined;
  if (home.folder.startsWith('packages/')) return `${file} imports ${other.name}: packages import neither apps nor each other`;
  if (other.folder.startsWith('apps/')) return `${file} imports ${other.name}: nothing imports an app`;
  const door = gateDoors[other.name];
  if (!door || isTest(file) || file === door) return undefined;
  return `${file} imports ${other.name}: only ${door} does`;
}

/** Hoisting lets any package be found from anywhere; what the program imports must be its own dependency. */
function checkNpm(file: string, name: string, reach: Reach, home: Workspace): string | undefined {
  if (isBuiltin(name) || isTest(file) || name.startsWith('#') || /^[a-z]+:/.test(name)) return undefined;
  if (home.dependencies.has(name)) return undefined;
  // Types are gone at run time, and what the browser gets is bundled when the program is built.
  const built = reach.typeOnly || file.startsWith(`${notebookSources}browser/`) || file.startsWith(`${notebookSources}views/`);
  const declared = home.devDependencies.has(name) || home.devDependencies.has(`@types/${name}`);
  if (built && declared) return undefined;
  return `${file} imports ${name}: it is not in the dependencies of ${home.folder}/package.json`;
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
