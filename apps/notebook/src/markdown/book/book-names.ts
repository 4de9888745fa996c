import type { Element } from 'hast';

const blocks = new Set(
  'blockquote caption col colgroup dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

/** Inline elements that the schema allows and that XHTML has or we translate. */
const inlines = new Set(
  'a abbr b bdi bdo br cite code del dfn em i img input ins kbd mark math q ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

export const isBlockName = (name: string): boolean => blocks.has(name);
export const isInlineName = (name: string): boolean => inlines.has(name);

/** HTML §4.5.10: text followed by its reading, with or without brackets, any number of times. */
export function rubyFits({ children }: Element): boolean {
  const shape = children
    .map(child => {
      if (child.type === 'text') return child.value.trim() === '' ? '' : 'w';
      if (child.type !== 'element') return '';
      if (child.tagName === 'rt') return 't';
      if (child.tagName === 'rp') return 'p';
      return isInlineName(child.tagName) && child.tagName !== 'ruby' ? 'w' : '!';
    })
    .join('');
  return /^(?:w+(?:t|ptp)+)+$/.test(shape);
}
