import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe calls serious or critical on the page as it is now, a sentence each. */
export async function findFaults(page: Page): Promise<string[]> {
  // Through the debugger and not as a script element, which the page's policy would rightly refuse.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run());
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.target.join(' ')} ${node.failureSummary}`).join(' | ')}`);
}
