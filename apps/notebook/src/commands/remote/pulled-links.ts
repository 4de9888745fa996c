import { readingsOf, replaceImageLinks, resolveLink } from '../../browser/files/image-links.ts';
import { findFile } from '../../browser/files/read-import.ts';
import type { PushedFile, PushedImage } from './read-vault.ts';

/**
 * Links to images that came with a pull, as the file has them. Under open editing anybody may name a picture that only lies beside the
 * file, so these do not upload it. `all`: there were too many to remember, so no link of the file does.
 */
export type PulledLinks = readonly string[] | 'all';

const maxRemembered = 200;

/** In every reading. */
function imageLinksOf(text: string): Set<string> {
  const links = new Set<string>();
  replaceImageLinks(text, link => {
    if ([...readingsOf(link)].some(reading => resolveLink('', reading) !== undefined)) links.add(link);
    return undefined;
  });
  return links;
}

/**
 * @param own the text that was here before
 * @param before what was remembered of it
 */
export function linksOfPull(pulled: string, own: string | undefined, before: PulledLinks = []): PulledLinks {
  const links = imageLinksOf(pulled);
  if (before === 'all') return links.size === 0 ? [] : 'all';
  const known = own === undefined ? new Set<string>() : imageLinksOf(own);
  for (const link of links) if (known.has(link) && !before.includes(link)) links.delete(link);
  return links.size > maxRemembered ? 'all' : [...links];
}

/** Without those that lead to pictures of this person's. */
export function withoutOwn(links: PulledLinks, filePath: string, own: ReadonlyMap<string, unknown>): PulledLinks {
  return links === 'all' ? links : links.filter(link => findFile(own, filePath, link) === undefined);
}

/** Those that a pushed file still has. */
export function linksLeft(links: PulledLinks | undefined, text: string): PulledLinks {
  if (links === undefined || links === 'all') return links ?? [];
  const there = imageLinksOf(text);
  return links.filter(link => there.has(link));
}

/** Those of the images that are named by links of a pull only. */
export function namedByPullOnly(
  files: readonly PushedFile[],
  images: readonly PushedImage[],
  linksOf: (file: PushedFile) => PulledLinks | undefined,
): ReadonlySet<PushedImage> {
  const found = new Set<PushedImage>();
  for (const [top, inTop] of Map.groupBy(images, image => image.top)) {
    const paths = new Map(inTop.map(image => [image.path, image]));
    const own = new Set<string>();
    const pulled = new Set<string>();
    for (const file of files) {
      const { filePath, markdown } = file;
      if (file.top !== top || filePath === undefined) continue;
      const links = linksOf(file) ?? [];
      replaceImageLinks(markdown, link => {
        const image = findFile(paths, filePath, link);
        if (image !== undefined) (links === 'all' || links.includes(link) ? pulled : own).add(image);
        return image;
      });
    }
    for (const path of pulled) if (!own.has(path)) found.add(paths.get(path)!);
  }
  return found;
}
