/** Reads of a page in a browser test. The page changes a moment after a click, and later still on a busy machine. */
const reads =
  /\.(?:inputValue|innerText|textContent|isVisible|isHidden|isChecked|count|allTextContents|allInnerTexts|getAttribute|boundingBox)\(/;

/** Finds parts of a test that fail or pass depending on the machine's speed. */
export function findMissingWaits(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const where = `${path}:${at + 1}`;
    if (line.includes('.waitForTimeout(')) return [`${where} sleeps: wait for what should happen.`];
    if (/\bexpect\(await /.test(line) && reads.test(line))
      return [`${where} reads the page once: use expect.poll or locator.waitFor.`];
    if (/\bperformance\.now\(\) - \w+\)\.toBeLess/.test(line))
      return [`${where} expects a time: compare growth (tools/growth.ts) or count.`];
    return [];
  });
}
