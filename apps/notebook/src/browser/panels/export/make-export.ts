import type { Draw } from './drawings.ts';
import type { ExportRequest, MadeExport } from './notebook-copy.ts';
import { notebookHtml } from './notebook-html.ts';
import { notebookZip } from './notebook-zip.ts';
import { pageFile } from './page-file.ts';

export async function makeExport({ format, notebook, now }: ExportRequest, draw: Draw): Promise<MadeExport> {
  if (format === 'zip') return notebookZip(notebook, now);
  const text = format === 'html' ? await notebookHtml(notebook, now, draw) : pageFile(notebook.pages[0]!);
  return { bytes: new TextEncoder().encode(text), incomplete: [] };
}
