import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

/** The preview worker as the browser gets it: one script. */
export async function bundlePreviewWorker(): Promise<string> {
  const entry = fileURLToPath(new URL('../../src/markdown/preview-worker.ts', import.meta.url));
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: ['chrome123', 'firefox120', 'safari17.5'],
      rolldownOptions: { input: entry, output: { format: 'es', codeSplitting: false } },
    },
  });
  const { output } = result as Rolldown.RolldownOutput;
  return output[0].code;
}
