import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = join(root, 'node_modules/.cache/octavo-one-file');
const made = new Map<string, Promise<string>>();

/**
 * A script of ours and everything that it imports, as one file of JavaScript: a process that is started from it needs a quarter of the
 * processor time that some hundred sources cost. What a module finds beside itself, it still finds there. Made once in each worker.
 */
export function oneFile(script: URL): Promise<string> {
  const found = made.get(script.href) ?? make(fileURLToPath(script));
  made.set(script.href, found);
  return found;
}

async function make(input: string): Promise<string> {
  const places = {
    name: 'octavo-places-of-sources',
    transform: (code: string, id: string) =>
      code.includes('import.meta.')
        ? code
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        : null,
  };
  const bundle = await rolldown({ input, platform: 'node', external: ['bcrypt', 'sharp', 'pg-native'], plugins: [places] });
  const { output } = await bundle.generate({ format: 'esm', comments: false, codeSplitting: false });
  await bundle.close();
  const [{ code }] = output;
  // Named after its content, so that the compiled code of an earlier run is found again.
  const file = join(folder, `${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`);
  const beside = `${file}.${process.pid}`;
  await mkdir(folder, { recursive: true });
  await writeFile(beside, code);
  await rename(beside, file);
  return file;
}
