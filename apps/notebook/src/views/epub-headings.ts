import { defaultIdPrefix } from '../markdown/default-id-prefix.ts';
import { decoded } from '../markdown/page-links.ts';
import type { Heading } from '../markdown/rendered.ts';
import { slugOf } from '../markdown/steps/headings.ts';

/** Nobody links to more headings of a page than this. */
const maxHeadings = 500;

/** Maps the names that headings have in a view, which links use, to those in the book. */
export class BookHeadings {
  readonly #ids = new Map<string, ReadonlyMap<string, string>>();

  has(file: string): boolean {
    return this.#ids.has(file);
  }

  learn(file: string, headings: readonly Heading[]): void {
    const ids = new Map<string, string>();
    for (const { id, text } of headings.slice(0, maxHeadings)) {
      const name = slugOf(text);
      if (text !== '' && id !== '' && !ids.has(name)) ids.set(name, id);
    }
    this.#ids.set(file, ids);
  }

  /** @param fragment of a view's address, without its `#` */
  find(file: string, fragment: string): string | undefined {
    const name = decoded(fragment);
    return this.#ids.get(file)?.get(name.startsWith(defaultIdPrefix) ? name.slice(defaultIdPrefix.length) : name);
  }
}
