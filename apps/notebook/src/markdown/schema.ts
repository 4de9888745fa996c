import { defaultSchema, type Schema } from 'hast-util-sanitize';
import type { Mark } from './mark.ts';

/**
 * GitHub's schema with what spec 1 §2 names and the packaged one lacks (`mark`, `abbr`), and a few tags of the same harmless
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

/** Added by our own steps after sanitizing; what the text says of them is dropped. */
const ours = new Set(['dataFootnoteBackref', 'dataFootnoteRef', 'dataFootnotes']);

function withoutOurs(): NonNullable<Schema['attributes']> {
  const attributes: NonNullable<Schema['attributes']> = {};
  for (const [tag, allowed] of Object.entries(defaultSchema.attributes!))
    attributes[tag] = allowed.filter(rule => (Array.isArray(rule) ? rule[0] !== 'className' || tag === 'code' : !ours.has(rule)));
  return attributes;
}

const attributes = withoutOurs();

/** @param mark only ours to write, see mark.ts. */
export function schemaFor(mark: Mark, idPrefix: string): Schema {
  return {
    ...defaultSchema,
    tagNames,
    ancestors: { ...defaultSchema.ancestors, caption: ['table'], colgroup: ['table'], col: ['table'] },
    attributes: { ...attributes, '*': [...attributes['*']!, mark.property] },
    clobberPrefix: idPrefix,
  };
}
