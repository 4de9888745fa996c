import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { CDPSession, Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const debuggers = new WeakMap<Page, CDPSession>();

/**
 * Through the debugger and not as a script element, which the page's policy would rightly refuse. Not through Playwright's `evaluate`, which
 * hands half a megabyte on once more within the page: a fifth of what a visit with axe costs.
 */
async function loadAxe(page: Page): Promise<void> {
  const client = debuggers.get(page) ?? (await page.context().newCDPSession(page));
  debuggers.set(page, client);
  const { exceptionDetails } = await client.send('Runtime.evaluate', { expression: axeSource });
  if (exceptionDetails) throw new Error(`axe does not load: ${exceptionDetails.text}`);
}

/** What axe calls serious or critical on the page as it is now, a sentence each. */
export async function findFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await loadAxe(page);
  return page.evaluate(async () => {
    const { run } = (window as unknown as { axe: typeof axe }).axe;
    // Every rule runs; of what passed, it need not describe each element.
    const { violations } = await run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.target.join(' ')} ${node.failureSummary}`).join(' | ')}`);
  });
}
