import { expect, it, vi } from 'vitest';
import type { ImportPlan } from '../../files/read-import.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { runImport } from './run-import.ts';

const plan = { pages: [{ path: 'a.md', markdown: 'A', original: 'A', comments: 0 }], images: [], leftOut: [] };

/** @param written text that somebody writes into the notebook's only page while the import runs */
async function deletedBy(written: string): Promise<string[]> {
  const deleted: string[] = [];
  const only = { id: 'only', saver: { text: '' } };
  const pages = {
    all: [only],
    append: async () => {
      only.saver.text = written;
    },
    delete: (id: string) => deleted.push(id),
  };
  const run = { onProgress: vi.fn(), signal: new AbortController().signal };
  const outcome = await runImport({ pages } as unknown as NotebookSession, plan as unknown as ImportPlan, run);
  expect(outcome.added).toBe(1);
  return deleted;
}

it.each([
  ['goes when nobody wrote in it', '', ['only']],
  ['stays with what somebody wrote in it meanwhile', 'Words.', []],
])('the empty page of a notebook that is filled by an import %s', async (_what, written, gone) => {
  expect(await deletedBy(written)).toEqual(gone);
});
