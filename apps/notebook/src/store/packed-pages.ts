import { nextTurn } from '../event-loop-turns.ts';
import type { PageToKeep } from '../model/notebook.ts';

/** A page whose texts are bytes: their memory is handed over to a thread, whereas strings would be copied twice in one event-loop turn. */
export interface PackedPage {
  readonly page: PageToKeep;
  /** UTF-8 of its markdown, which `page` no longer has. */
  readonly markdown: Uint8Array<ArrayBuffer>;
  /** UTF-8 of its file's patch, which `page` no longer has. */
  readonly patch: Uint8Array<ArrayBuffer>;
}

const utf8 = new TextEncoder();

/** Characters encoded in one turn of the event loop. */
const turnChars = 262_144;

/** Packs pages; a megabyte of them takes several turns of the event loop. */
export async function packPages(pages: readonly PageToKeep[]): Promise<PackedPage[]> {
  const packed: PackedPage[] = [];
  let chars = 0;
  for (const { markdown, file, ...page } of pages) {
    const own = markdown.length + (file?.patch.length ?? 0);
    if (chars > 0 && chars + own > turnChars) {
      chars = 0;
      await nextTurn();
    }
    chars += own;
    packed.push({
      page: { ...page, markdown: '', file: file && { ...file, patch: '' } },
      markdown: utf8.encode(markdown),
      patch: utf8.encode(file?.patch),
    });
  }
  return packed;
}

/** The buffers that a message transfers instead of copying. */
export function memoryOf(packed: readonly PackedPage[]): ArrayBuffer[] {
  return packed.flatMap(({ markdown, patch }) => [markdown.buffer, patch.buffer]);
}

/** A byte order mark is part of the text. */
const text = (bytes: Uint8Array<ArrayBuffer>): string => Buffer.from(bytes.buffer).toString('utf8');

export function unpackPages(packed: readonly PackedPage[]): PageToKeep[] {
  return packed.map(({ page, markdown, patch }) => ({
    ...page,
    markdown: text(markdown),
    file: page.file && { ...page.file, patch: text(patch) },
  }));
}
