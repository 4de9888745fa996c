/**
 * Runs a function whose warnings are known and intended: warnings that contain one of these texts are dropped, all others are
 * shown. For programs that warn about what a demonstration wants, such as an in-memory store.
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
