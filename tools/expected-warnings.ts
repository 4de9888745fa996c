/**
 * Does something whose warnings are known, and meant: those with one of these words in them are left out, all others are shown. For programs
 * that warn of what a demonstration wants, such as a store in memory.
 */
export async function withExpectedWarnings<T>(expected: readonly string[], run: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!expected.some(text => String(words[0]).includes(text))) warn(...words);
  };
  try {
    return await run();
  } finally {
    console.warn = warn;
  }
}
