import { serveTasks } from './serve-tasks.ts';

await serveTasks(async () => {
  try {
    const { drawCard, prepare } = await import('./draw-card.ts');
    // The typefaces are loaded before anybody waits for the first card.
    await prepare();
    return drawCard;
  } catch (cause) {
    throw new Error(`cards cannot be drawn: ${cause}`, { cause });
  }
});
