import { setPriority } from 'node:os';
import type { ImageVerdict } from './image-checker.ts';

export type CheckAnswer = { readonly verdict: ImageVerdict; readonly rssBytes: number } | { readonly failed: string };

// Whoever answers requests comes first where processors are short; threads that start later inherit it.
setPriority(0, 10);

// An interrupt at the terminal reaches every process of the group: the service ends this one when its last upload is through.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());

const tell = (answer: CheckAnswer | 'ready') => process.send?.(answer);

try {
  // On a platform without the prebuilt decoders this fails, and says so, instead of taking images unseen.
  const { checkAndDecode } = await import('./decode.ts');
  process.on('message', (file: Uint8Array) => {
    checkAndDecode(file).then(
      verdict => tell({ verdict, rssBytes: process.memoryUsage.rss() }),
      error => tell({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  tell('ready');
} catch (error) {
  process.stderr.write(`images cannot be checked: ${error}\n`);
  process.exit(1);
}
