import { serveTasks } from './serve-tasks.ts';

// On a platform without prebuilt decoders this fails with a message, so that images are never accepted unchecked.
await serveTasks(async () => {
  try {
    return (await import('./decode.ts')).checkAndDecode;
  } catch (cause) {
    throw new Error(`images cannot be checked: ${cause}`, { cause });
  }
});
