/** What a browser test reads of a page: it changes a moment after what was pressed, on a busy machine some moments later. */
const reads =
  /\.(?:inputValue|innerText|textContent|isVisible|isHidden|isChecked|count|allTextContents|allInnerTexts|getAttribute|boundingBox)\(/;

/**
 * What of a test would fail, or pass, by the speed of the machine.
 * @returns a sentence for each line
 */
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
