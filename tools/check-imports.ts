import { globSync } from 'node:fs';
import path from 'node:path';
import { judgeModule, judgeName } from './imports/judge.ts';
import { readModule } from './imports/read-module.ts';
import { listSources, readWorkspaces } from './imports/workspaces.ts';

/** Every broken rule of direction, naming and environment in the tree, a sentence each. */
export function checkImports(root: string): string[] {
  const workspaces = readWorkspaces(root);
  const verdicts = workspaces.flatMap(home =>
    listSources(root, home.folder).flatMap(file => judgeModule(file, readModule(path.join(root, file)), home, workspaces)),
  );
  return [
    ...verdicts,
    ...listNamed(root)
      .map(judgeName)
      .filter(verdict => verdict !== undefined),
  ].sort();
}

function listNamed(root: string): string[] {
  return globSync('{apps/*/{src,test},packages/*/{src,test,examples},tools,bench}/**/*.{ts,tsx,css,js,mjs}', { cwd: root }).map(
    file => file.split(path.sep).join('/'),
  );
}

if (import.meta.main) {
  const verdicts = checkImports(path.join(import.meta.dirname, '..'));
  for (const verdict of verdicts) console.error(verdict);
  console.log(verdicts.length === 0 ? 'Imports: every room keeps to its direction.' : `Imports: ${verdicts.length} to mend.`);
  process.exitCode = verdicts.length === 0 ? 0 : 1;
}
