import type { Draw, Drawings } from './drawings.ts';
import { makeExport } from './make-export.ts';
import type { ExportAnswer, ExportQuestion } from './notebook-copy.ts';

/** Asks the page to draw, because a worker has no frame to draw in. */
const draw: Draw = sources =>
  new Promise<Drawings>(resolve => {
    const hear = ({ data }: MessageEvent<ExportQuestion>): void => {
      if (data.kind !== 'drawn') return;
      removeEventListener('message', hear);
      resolve(data.drawings);
    };
    addEventListener('message', hear);
    answer({ kind: 'draw', sources });
  });

const answer = (message: ExportAnswer): void => self.postMessage(message);

addEventListener('message', async ({ data }: MessageEvent<ExportQuestion>) => {
  if (data.kind === 'make') answer({ kind: 'made', made: await makeExport(data.request, draw) });
});
