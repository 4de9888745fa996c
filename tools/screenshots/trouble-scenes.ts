import type { Page } from 'playwright-core';
import type { Scene } from './scene.ts';
import type { World } from './seed.ts';

/** What a person sees when the service refuses. */
export function troubleScenes({ origin, links }: Pick<World, 'origin' | 'links'>): Scene[] {
  return [
    {
      name: 'too-many-tries',
      open: async page => {
        await page.goto(`${origin}/n/${links.open.slug}`);
        await tooManyComments(page, origin, links.open.slug);
      },
    },
  ];
}

/** Posts through the form until the limit is reached: nobody else comments on this notebook. */
async function tooManyComments(page: Page, origin: string, slug: string): Promise<void> {
  const send = () =>
    page.evaluate(
      async ({ address }) =>
        (await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"body":"again"}' }))
          .status,
      { address: `${origin}/api/notebooks/${slug}/comments` },
    );
  while ((await send()) !== 429);
  await page.getByText('Write a comment').click();
  const field = page.getByLabel('Comment', { exact: true });
  if (!(await field.isVisible())) await page.getByText('Write a comment').click();
  await field.fill('One too many');
  await page.getByRole('button', { name: 'Send the comment' }).click();
  await page.getByRole('alert').waitFor();
}
