import { makeExport } from './make-export.ts';
import type { ExportRequest } from './notebook-copy.ts';

self.addEventListener('message', async (event: MessageEvent<ExportRequest>) => self.postMessage(await makeExport(event.data)));
