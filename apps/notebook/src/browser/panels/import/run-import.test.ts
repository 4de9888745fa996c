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

it('stops while an image is on its way: nothing is sent after it, and no page is added', async () => {
  const sent: { abort(): void }[] = [];
  class Sending extends EventTarget {
    readonly upload = new EventTarget();
    open(): void {}
    setRequestHeader(): void {}
    send(): void {
      sent.push(this);
    }
    abort(): void {
      this.dispatchEvent(new Event('abort'));
    }
  }
  vi.stubGlobal('XMLHttpRequest', Sending);
  // An animated image is sent unchanged: a test has no canvas.
  const moving = new TextEncoder().encode('RIFF....WEBPVP8X....\u0002');
  const images = ['a.webp', 'b.webp'].map(path => ({ path, bytes: moving }));
  const append = vi.fn();
  const stop = new AbortController();
  const session = { slug: 'trip', editToken: undefined, pages: { all: [], append } } as unknown as NotebookSession;
  const running = runImport(session, { ...plan, images } as unknown as ImportPlan, { onProgress: vi.fn(), signal: stop.signal });
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  stop.abort();
  expect(await running).toMatchObject({ added: 0, withoutImages: [], stopped: { name: 'Stopped' } });
  expect(sent).toHaveLength(1);
  expect(append).not.toHaveBeenCalled();
  vi.unstubAllGlobals();
});
