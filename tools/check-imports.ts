import { globSync } from 'node:fs';
import path from 'node:path';
import { checkModule, checkName } from './imports/check-module.ts';
import { checkCircles } from './imports/circles.ts';
import { type ModuleFacts, readModule } from './imports/read-module.ts';
import { listSources, readWorkspaces } from './imports/workspaces.ts';

/** Every broken rule of direction, naming and environment in the tree, one sentence each. */
export function checkImports(root: string): string[] {
  const workspaces = readWorkspaces(root);
  const modules = new Map<string, ModuleFacts>();
  const verdicts = workspaces.flatMap(home =>
    listSources(root, home.folder).flatMap(file => {
      const facts = readModule(path.join(root, file));
      modules.set(file, facts);
      return checkModule(file, facts, home, workspaces);
    }),
  );
  return [
    ...verdicts,
    ...checkCircles(modules),
    ...listNamed(root)
      .map(checkName)
      .filter(verdict => verdict !== undefined),
  ].sort();
}

function listNamed(root: string): string[] {
  return globSync('{{apps,packages}/*/{src,test,examples},tools,bench}/**/*.{ts,tsx,css,js,mjs}', { cwd: root }).map(file =>
    file.split(path.sep).join('/'),
  );
}

if (import.meta.main) {
  const verdicts = checkImports(path.join(import.meta.dirname, '..'));
  for (const verdict of verdicts) console.error(verdict);
  console.log(
    verdicts.length === 0
      ? 'Imports: every room keeps to its direction, and there are no cycles.'
      : `Imports: ${verdicts.length} to fix.`,
  );
  process.exitCode = verdicts.length === 0 ? 0 : 1;
}
