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

const dropped = new Set([
  // Our own steps add these after sanitizing; what the text says of them does not count.
  'dataFootnoteBackref',
  'dataFootnoteRef',
  'dataFootnotes',
  // GitHub lets them pass. On a page of ours a text could take the keyboard's order and its shortcuts from the page around it.
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

/** @param mark only ours to write, see mark.ts. */
export function schemaFor(mark: Mark, idPrefix: string): Schema {
  return {
    ...defaultSchema,
    tagNames,
    // With what is in them: rules for a page's look are no words of it.
    strip: [...defaultSchema.strip!, 'style'],
    ancestors: { ...defaultSchema.ancestors, caption: ['table'], colgroup: ['table'], col: ['table'] },
    attributes: { ...attributes, '*': [...attributes['*']!, mark.property] },
    clobberPrefix: idPrefix,
  };
}
