import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe calls serious or critical on the page as it is now, a sentence each. */
export async function findFaults(page: Page): Promise<string[]> {
  // Through the debugger and not as a script element, which the page's policy would rightly refuse. Once a page: it is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    // Every rule runs; of what passed, it need not describe each element.
    const { violations } = await run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.target.join(' ')} ${node.failureSummary}`).join(' | ')}`);
  });
}
