import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A store for images (`IMAGE_FOLDER`), without which the editor has no buttons for them. */
export function makeImageFolder(): { readonly env: { readonly IMAGE_FOLDER: string }; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-images-'));
  return { env: { IMAGE_FOLDER: folder }, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
