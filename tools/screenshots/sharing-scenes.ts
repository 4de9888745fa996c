import type { Page } from 'playwright-core';
import { openEditor, press } from './editor-scenes.ts';
import type { Scene } from './scene.ts';
import type { Made, World } from './seed.ts';

/** The share panel, for every kind of notebook. */
export function sharingScenes(world: World): Scene[] {
  const { links } = world;
  const share = (name: string, made: Made, act?: (page: Page) => Promise<unknown>): Scene => ({
    name,
    window: true,
    open: async page => {
      await openEditor(page, world, made);
      await press(page, 'Share');
      await page.getByRole('img', { name: 'QR code of the view link' }).waitFor();
      await act?.(page);
    },
  });
  return [
    share('editor-share', links.tour),
    share('editor-share-end', links.tour, page =>
      page.getByRole('button', { name: 'Replace the edit link' }).scrollIntoViewIfNeeded(),
    ),
    share('editor-share-rules', links.tour, page => page.getByText('Read-only').scrollIntoViewIfNeeded()),
    share('editor-share-embed', links.figures, page => page.getByLabel('Embed code').scrollIntoViewIfNeeded()),
    share('editor-share-phone', links.tour, async page => {
      await press(page, 'Edit on my phone');
      await page.getByRole('img', { name: 'QR code that opens the editor' }).scrollIntoViewIfNeeded();
    }),
    share('editor-share-copied', links.tour, page => press(page, 'Copy view link')),
    share('editor-share-locked', links.locked, page =>
      page.getByRole('button', { name: 'Remove password' }).scrollIntoViewIfNeeded(),
    ),
    share('editor-share-expired', links.expired),
    share('editor-share-private', links.private),
    share('editor-share-once', links.once),
    share('editor-share-replace', links.tour, page => press(page, 'Replace the edit link')),
  ];
}
