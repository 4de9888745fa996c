import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ImportPlan } from '../../files/read-import.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { runImport } from './run-import.ts';

const plan = { pages: [{ path: 'a.md', markdown: 'A', original: 'A', comments: 0 }], images: [], leftOut: [] };

/** @param written text that another writer puts into the notebook's only page while the import runs */
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
  ['stays with what another person wrote in it meanwhile', 'Words.', []],
])('the empty page of a notebook that is filled by an import %s', async (_what, written, gone) => {
  expect(await deletedBy(written)).toEqual(gone);
});

it('a page whose path is too long to keep is added without its file, and named', async () => {
  const added: unknown[] = [];
  const pages = { all: [], append: async (input: unknown) => added.push(input) };
  const [long, short] = [`${'x'.repeat(600)}.md`, 'a.md'];
  const two = { ...plan, pages: [long, short].map(path => ({ path, markdown: 'A', original: 'A', comments: 0 })) };
  const run = { onProgress: vi.fn(), signal: new AbortController().signal };
  const outcome = await runImport({ pages } as unknown as NotebookSession, two as unknown as ImportPlan, run);
  expect(added).toEqual([{ markdown: 'A' }, { markdown: 'A', file: { path: short, patch: '' } }]);
  expect(outcome).toMatchObject({ added: 2, notKept: [`${long}: its path is too long to keep`] });
});

it.each([
  ['nothing is added', [''], { ...plan, pages: [] }],
  ['there are others', ['', ''], plan],
  ['another person wrote in it', ['Words.'], plan],
])('an empty page stays where %s', async (_, texts, planned) => {
  const remove = vi.fn();
  const all = texts.map(text => ({ id: text, saver: { text } }));
  const session = { pages: { all, append: async () => {}, delete: remove } };
  const run = { onProgress: vi.fn(), signal: new AbortController().signal };
  await runImport(session as unknown as NotebookSession, planned as unknown as ImportPlan, run);
  expect(remove).not.toHaveBeenCalled();
});

describe('images', () => {
  // An animated image is sent unchanged: a test has no canvas.
  const moving = new TextEncoder().encode('RIFF....WEBPVP8X....\u0002');
  const images = ['a.webp', 'b.webp', 'c.webp', 'd.webp'].map(path => ({ path, bytes: moving }));
  let sent: number;
  /** What the service answers, one after the other; then that it took the image. */
  let answers: number[];
  beforeEach(() => {
    [sent, answers] = [0, []];
    class Answering extends EventTarget {
      readonly upload = new EventTarget();
      status = 0;
      responseText = '';
      open(): void {}
      setRequestHeader(): void {}
      getResponseHeader(): null {
        return null;
      }
      abort(): void {
        this.dispatchEvent(new Event('abort'));
      }
      send(): void {
        sent += 1;
        this.status = answers.shift() ?? 201;
        this.responseText = JSON.stringify({ url: `https://i.example/${sent}`, title: 'No.' });
        for (const name of this.status === 0 ? ['error', 'loadend'] : ['load', 'loadend']) this.dispatchEvent(new Event(name));
      }
    }
    vi.stubGlobal('XMLHttpRequest', Answering);
  });
  afterEach(() => void vi.unstubAllGlobals());
  const session = {
    slug: 'trip',
    editToken: undefined,
    pages: { all: [], append: async () => {} },
  } as unknown as NotebookSession;
  const upload = (more: Partial<Parameters<typeof runImport>[2]> = {}) =>
    runImport(session, { ...plan, images } as unknown as ImportPlan, {
      onProgress: vi.fn(),
      signal: new AbortController().signal,
      ...more,
    });

  it('that an earlier run sent are not sent again', async () => {
    const before = new Map([['b.webp', 'https://i.example/before']]);
    const { addresses } = await upload({ addresses: before });
    expect(sent).toBe(3);
    expect(Object.fromEntries(addresses)).toEqual({
      'a.webp': 'https://i.example/1',
      'b.webp': 'https://i.example/before',
      'c.webp': 'https://i.example/2',
      'd.webp': 'https://i.example/3',
    });
    expect(before.size).toBe(1);
  });

  it.each([413, 415])('are left out one by one when each may have another fault: %i', async status => {
    answers = [status, 201, status];
    const { addresses, withoutImages } = await upload();
    expect([...addresses.keys()]).toEqual(['b.webp', 'd.webp']);
    expect(withoutImages).toEqual(['a.webp was not uploaded: No.', 'c.webp was not uploaded: No.']);
  });

  it('that this browser cannot draw are left out with the reason, and the others are sent', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const files = { 'paper.png': '%PDF-1.7', 'empty.png': '', 'phone.jpg': '\0\0\0\u0018ftypheic', 'broken.png': 'none' };
    const unreadable = Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) }));
    const four = { ...plan, images: [...unreadable, images[0]] } as unknown as ImportPlan;
    const outcome = await runImport(session, four, { onProgress: vi.fn(), signal: new AbortController().signal });
    expect(outcome.withoutImages).toEqual([
      'paper.png was not uploaded: It is a PDF. Save its pages as PNG or JPEG first.',
      'empty.png was not uploaded: It is empty.',
      'phone.jpg was not uploaded: It is a HEIC photo, which this browser cannot read. Save it as JPEG first.',
      'broken.png was not uploaded: This browser cannot read it as an image.',
    ]);
    expect([...outcome.addresses.keys()]).toEqual(['a.webp']);
  });

  it.each([
    [403, 'No.'],
    [507, 'No.'],
    [0, 'The server cannot be reached.'],
  ])('are given up when the next would meet the same: %i', async (status, why) => {
    answers = [201, status];
    const { addresses, withoutImages, added } = await upload();
    expect([sent, [...addresses.keys()], added]).toEqual([2, ['a.webp'], 1]);
    expect(withoutImages).toEqual([`b.webp was not uploaded: ${why}`, '2 more images were left out for the same reason.']);
    answers = [201, 201, status];
    expect((await upload()).withoutImages.at(-1)).toBe('1 more image was left out for the same reason.');
  });

  it('are not sent when the import was stopped while the first was made ready', async () => {
    const stop = new AbortController();
    const running = upload({ signal: stop.signal });
    stop.abort();
    expect(await running).toMatchObject({ added: 0, withoutImages: [], stopped: { name: 'Stopped' } });
    expect(sent).toBe(0);
  });
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
