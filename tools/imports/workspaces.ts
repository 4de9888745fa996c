import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface Workspace {
  /** `apps/notebook`, `packages/oidc-rp`. */
  readonly folder: string;
  /** `@octavo/notebook`. */
  readonly name: string;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
}

export function readWorkspaces(root: string): Workspace[] {
  return globSync('{apps,packages}/*', { cwd: root })
    .filter(folder => existsSync(path.join(root, folder, 'package.json')))
    .sort()
    .map(folder => readWorkspace(root, folder));
}

function readWorkspace(root: string, folder: string): Workspace {
  const json = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
  return {
    folder,
    name: json.name,
    dependencies: new Set(Object.keys({ ...json.dependencies, ...json.peerDependencies, ...json.optionalDependencies })),
    devDependencies: new Set(Object.keys(json.devDependencies ?? {})),
  };
}

/** Source files of a workspace, as paths from the root with `/`. */
export function listSources(root: string, folder: string): string[] {
  return globSync(`${folder}/{src,test,examples,tools}/**/*.{ts,tsx}`, { cwd: root })
    .map(file => file.split(path.sep).join('/'))
    .sort();
}

/** Whether it is a test, a contract suite or their support: exempt from the rules between rooms, not from those between workspaces. */
export function isTest(file: string): boolean {
  return !/^\w+\/[\w-]+\/src\//.test(file) || file.includes('/contract/') || /\.(test|long|contract|bench)\.tsx?$/.test(file);
}
