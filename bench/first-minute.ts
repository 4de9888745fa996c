import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import { ServiceInBrowser } from '../apps/notebook/test/support/service-in-browser.ts';

// How long a newcomer waits, in the built service and a real Chromium: from the request for the home page to a view link on the
// clipboard. Presses are counted here and in apps/notebook/test/views/first-minute.test.ts; the goal is 5 s of machine time.
const rounds = Number(process.argv[2] ?? 5);

interface Story {
  readonly name: string;
  /** @returns the number of presses, not counting typing and pasting */
  readonly tell: (page: Page) => Promise<number>;
}

const onClipboard = (page: Page) => page.getByText('Your clipboard has the view link.').waitFor();

const stories: readonly Story[] = [
  {
    name: 'a note, from / to a shared link',
    tell: async page => {
      await page.keyboard.insertText('# Picnic\n\nBring bread.');
      await page.keyboard.press('Control+Enter');
      await page.locator('[data-created]').waitFor();
      await page.keyboard.press('Enter');
      await onClipboard(page);
      return 2;
    },
  },
  {
    name: 'a secret that opens once',
    tell: async page => {
      await page.keyboard.insertText('The code is 1234.');
      await page.getByLabel('Delete after it’s read once').check();
      await page.keyboard.press('Control+Enter');
      await page.locator('[data-created]').waitFor();
      await page.keyboard.press('Enter');
      await onClipboard(page);
      return 3;
    },
  },
];

const octavo = await ServiceInBrowser.start();
try {
  process.stdout.write(
    'ms from the request for the home page to the view link on the clipboard: half of the rounds / the slowest\n',
  );
  for (const { name, tell } of stories) {
    const times: number[] = [];
    let presses = 0;
    for (let round = 0; round < rounds; round++) {
      const context = await octavo.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
      const page = await context.newPage();
      const started = performance.now();
      await page.goto(octavo.service.origin);
      presses = await tell(page);
      times.push(performance.now() - started);
      await context.close();
    }
    times.sort((one, other) => one - other);
    const [half, most] = [times[Math.floor(times.length / 2)]!, times.at(-1)!];
    process.stdout.write(
      `${name.padEnd(34)} ${half.toFixed(0).padStart(6)} / ${most.toFixed(0).padStart(6)}   ${presses} presses\n`,
    );
  }
} finally {
  await octavo.close();
}
