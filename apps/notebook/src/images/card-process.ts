import { serveTasks } from './serve-tasks.ts';

await serveTasks(async () => {
  try {
    const { drawCard, prepare } = await import('./draw-card.ts');
    // Typefaces are read once, before the first card is waited for.
    await prepare();
    return drawCard;
  } catch (cause) {
    throw new Error(`cards cannot be drawn: ${cause}`, { cause });
  }
});
