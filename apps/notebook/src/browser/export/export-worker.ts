import { makeExport } from './make-export.ts';
import type { ExportRequest } from './notebook-copy.ts';

self.addEventListener('message', (event: MessageEvent<ExportRequest>) => self.postMessage(makeExport(event.data)));
