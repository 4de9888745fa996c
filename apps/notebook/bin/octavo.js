#!/usr/bin/env node
// What `npx octavo` starts. The program is built; this file is there before, so that npm can link it.
import { existsSync } from 'node:fs';

const program = new URL('../dist/server/cli.js', import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  process.stderr.write('octavo: not built yet. Run `npm run build` first (`npm start` does it too).\n');
  process.exitCode = 1;
}
