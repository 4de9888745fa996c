import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import type { TextEnding } from '../../model/text-tracker.ts';

const fileOf = (databasePath: string) => `${databasePath}-endings`;

/** On the disk when this returns: the process ends right after. */
export function appendEnding(databasePath: string, { id, revision, at }: TextEnding): void {
  const file = openSync(fileOf(databasePath), 'a', 0o600);
  try {
    writeSync(file, `${JSON.stringify({ id, revision, at })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Hands on the endings recorded since the last start. After a crash, or when several processes start at once, one may be handed on twice.
 */
export async function takeEndings(databasePath: string, note: (ending: TextEnding) => Promise<void>): Promise<void> {
  const taken = `${fileOf(databasePath)}-taken`;
  const handOn = async () => {
    for (const ending of readEndings(taken)) await note(ending);
    unlinkIfThere(taken);
  };
  if (existsSync(taken)) await handOn();
  try {
    // Another process may be writing to it; after this, it writes to a new file.
    renameSync(fileOf(databasePath), taken);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await handOn();
}

/** A line that a power failure cut short is skipped. */
function readEndings(file: string): TextEnding[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').flatMap(readLine);
}

function readLine(line: string): TextEnding[] {
  try {
    const { id, revision, at } = JSON.parse(line) as Partial<TextEnding>;
    const whole = typeof id === 'string' && Number.isSafeInteger(revision) && Number.isSafeInteger(at);
    return whole ? [{ id, revision: revision!, at: at! }] : [];
  } catch {
    return [];
  }
}

function unlinkIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
