import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeWorld, tellWorld } from './world/make.ts';
import { databaseUrlOf } from './world/target.ts';

// `npm run bench world -- 1000000 PLACE`: creates a large world in a new database of either engine. PLACE is `sqlite:PATH`,
// `postgres://…` of an empty database, or a folder for a new SQLite file. Without it, the world is created to measure the speed,
// and removed. world/shape.ts describes its contents. To look at it: DATABASE_URL, PUBLIC_URL=http://localhost:8080, `npm start`.
const [count = '10000', place] = process.argv.slice(2);
if (!/^[1-9]\d{0,8}$/.test(count)) {
  process.stderr.write(`"${count}" is not a number of notebooks. Example: npm run bench world -- 100000 ./world\n`);
  process.exit(1);
}
const folder = place === undefined ? mkdtempSync(join(tmpdir(), 'octavo-world-')) : undefined;
try {
  const databaseUrl = databaseUrlOf(place ?? folder!);
  console.log(tellWorld(await makeWorld(databaseUrl, Number(count))));
  // The address of a server may contain a password.
  if (databaseUrl.startsWith('sqlite:') && place !== undefined) console.log(`DATABASE_URL=${databaseUrl}`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  if (folder) rmSync(folder, { recursive: true });
}
