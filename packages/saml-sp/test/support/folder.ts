import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Called at the top of a test file. @returns a function that makes a folder, which goes when the file's tests are over */
export function folders(): () => Promise<string> {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map(folder => rm(folder, { recursive: true }))));
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'saml-metadata-'));
    made.push(folder);
    return folder;
  };
}
