import { serveTasks } from './serve-tasks.ts';

// On a platform without the prebuilt decoders this fails, and says so, instead of taking images unseen.
await serveTasks(async () => {
  try {
    return (await import('./decode.ts')).checkAndDecode;
  } catch (cause) {
    throw new Error(`images cannot be checked: ${cause}`, { cause });
  }
});
