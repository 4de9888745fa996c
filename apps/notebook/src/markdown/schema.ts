import { defaultSchema, type Schema } from 'hast-util-sanitize';
import type { Mark } from './mark.ts';

/**
 * GitHub's schema plus the tags that spec 1 §2 names and the packaged schema lacks (`mark`, `abbr`), and a few tags of the same harmless
 * kind. Table alignment (`align`) and `title` are in it already; `style` is not and never may be.
 */
const tagNames = [
  ...defaultSchema.tagNames!,
  'abbr',
  'mark',
  'small',
  'figure',
  'figcaption',
  'caption',
  'cite',
  'dfn',
  'time',
  'wbr',
  'bdi',
  'bdo',
  'colgroup',
  'col',
];

const dropped = new Set([
  // Our own steps add these after sanitizing; values in the text are dropped.
  'dataFootnoteBackref',
  'dataFootnoteRef',
  'dataFootnotes',
  // GitHub allows these. On our pages a text could use them to take over the tab order and the shortcuts of the page around it.
  'tabIndex',
  'accessKey',
]);

function withoutDropped(): NonNullable<Schema['attributes']> {
  const attributes: NonNullable<Schema['attributes']> = {};
  for (const [tag, allowed] of Object.entries(defaultSchema.attributes!))
    attributes[tag] = allowed.filter(rule =>
      Array.isArray(rule) ? rule[0] !== 'className' || tag === 'code' : !dropped.has(rule),
    );
  return attributes;
}

const attributes = withoutDropped();

/** The properties that the schema lets through, of all elements together. */
export const writtenProperties: readonly string[] = [
  ...new Set(
    Object.values(attributes)
      .flat()
      .map(rule => (Array.isArray(rule) ? rule[0] : rule)),
  ),
];

/** Those that our own steps add afterwards. */
export const stepProperties: readonly string[] = [
  'ariaHidden',
  'className',
  'dataFootnoteBackref',
  'dataFootnoteRef',
  'dataFootnotes',
  'dataLine',
  'loading',
  'referrerPolicy',
  'rel',
  'tabIndex',
];

/** @param mark can only come from us, see mark.ts */
export function schemaFor(mark: Mark, idPrefix: string): Schema {
  return {
    ...defaultSchema,
    tagNames,
    // Removed with their content, because style rules are not text of the page.
    strip: [...defaultSchema.strip!, 'style'],
    ancestors: { ...defaultSchema.ancestors, caption: ['table'], colgroup: ['table'], col: ['table'] },
    attributes: { ...attributes, '*': [...attributes['*']!, mark.property] },
    clobberPrefix: idPrefix,
  };
}
