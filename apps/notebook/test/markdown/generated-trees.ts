import type { Element, Root } from 'hast';

/** What a page may hold, written down apart from the schema and from the check. */
export const allowedNames =
  `a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input
  ins kbd li mark ol p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt
  ul var wbr`.split(/\s+/);

export const strangeNames =
  `address annotation-xml applet article big body button center dialog fieldset font foreignObject form frameset head html iframe image keygen legend
  listing main marquee math menu mi mglyph nobr noembed noframes noscript object optgroup option param plaintext rb rtc script search select
  style svg desc template textarea title track u xmp x-y P x$ a.b`.split(/\s+/);

const blocks = 'blockquote details div dl figure h1 h2 h3 hr ol p pre section table ul'.split(' ');
const phrases = 'a abbr b br code em i img input kbd mark picture q ruby s small span strong sub sup time tt var wbr'.split(' ');
const flow = [...blocks, ...phrases];

/** Children that mostly stay where they are, so that deep trees do too. */
const likely: Record<string, readonly string[]> = {
  caption: phrases,
  colgroup: ['col'],
  dl: ['dt', 'dd'],
  dt: phrases,
  figure: ['figcaption', 'img', 'p'],
  ol: ['li'],
  p: phrases,
  h1: phrases,
  h2: phrases,
  h3: phrases,
  picture: ['source', 'img'],
  ruby: ['rt', 'rp', 'b'],
  table: ['caption', 'colgroup', 'thead', 'tbody', 'tfoot', 'tbody'],
  tbody: ['tr'],
  tfoot: ['tr'],
  thead: ['tr'],
  tr: ['td', 'th'],
  ul: ['li'],
};
const tableParts = new Set(['table', 'tbody', 'thead', 'tfoot', 'tr', 'colgroup']);
const spaces = [' ', '\n', '\n\n', '\t', '\f', ''];
const texts = [
  ...['x', 'a\nb', ' y', '\nz', '', ' ', '\n', '\u00a0', '<b>', '</p>', '</td>', '&amp;', '&lt;', '&nbsp', '-->', '<!--'],
  ...[']]>', '😀', '\ufeff', '\u2028', '&#13;', '</style>', '<script>alert(1)</script>', '\f', '\v', '\u0085'],
];
const changedTexts = ['\r', '\r\n', '\0', '\ud800', 'a\0b', '\udfff\ud800'];
const values = ['', 'x', '"', "'", '<b>', '>', '&quot;', '&amp', '\n', '\u00a0', '`', '--><script>', '/', '=x'];
const properties = [
  'id',
  'className',
  'title',
  'href',
  'src',
  'align',
  'alt',
  'open',
  'checked',
  'type',
  'dataLine',
  'htmlFor',
  'width',
];
const strangeProperties = ['onClick', 'style', 'dataX', 'class', 'for', 'x y', 'x"', 'x>', 'Id', 'xLinkHref', '=', 'is'];

/** Small numbers that decide what a tree looks like. From fast-check they shrink to a small tree. */
export interface Choices {
  below(bound: number): number;
}

export function choicesOf(numbers: readonly number[]): Choices {
  let at = 0;
  return { below: bound => (numbers[at++] ?? 0) % bound };
}

/** The same choices for the same seed (mulberry32). */
export function randomChoices(seed: number): Choices {
  let state = seed;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
  return { below };
}

const deepest = 12;
const mostNodes = 60;

/** Mostly trees that stay as they are, with some of everything that does not. */
export function treeOf(choices: Choices): Root {
  return { type: 'root', children: new Grower(choices).children(['']) };
}

class Grower {
  readonly #choices: Choices;
  #left = mostNodes;

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  children(path: readonly string[]): Element['children'] {
    const children: Element['children'] = [];
    const parent = path.at(-1)!;
    if (path.length > deepest) return children;
    const least = path.length === 1 || tableParts.has(parent) ? 1 : 0;
    for (let count = least + this.#choices.below(5 - least); count > 0 && this.#left > 0; count -= 1) {
      this.#left -= 1;
      children.push(this.#choices.below(5) === 0 ? textIn(parent, this.#choices) : this.#element(path));
    }
    return children;
  }

  #element(path: readonly string[]): Element {
    const choices = this.#choices;
    const odd = choices.below(400);
    const names = odd === 399 ? strangeNames : odd > 390 ? allowedNames : likelyIn(path);
    const tagName = oneOf(names, choices);
    const isEmpty = voids.has(tagName) && choices.below(200) < 199;
    return {
      type: 'element',
      tagName,
      properties: propertiesOf(choices),
      children: isEmpty ? [] : this.children([...path, tagName]),
    };
  }
}

/** No block in a paragraph and no link in a link, or hardly a large tree would stay as it is. */
function likelyIn(path: readonly string[]): readonly string[] {
  const list = likely[path.at(-1)!] ?? (path.some(name => likely[name] === phrases) ? phrases : flow);
  return list.filter(name => tableParts.has(name) || !once.has(name) || !path.includes(name));
}

const once = new Set([...phrases, 'h1', 'h2', 'h3']);

const oneOf = <Value>(list: readonly Value[], choices: Choices): Value => list[choices.below(list.length)]!;

function textIn(parent: string, choices: Choices): Element['children'][number] {
  const odd = choices.below(400);
  if (odd === 399) return { type: 'text', value: oneOf(changedTexts, choices) };
  return { type: 'text', value: oneOf(tableParts.has(parent) && odd < 397 ? spaces : texts, choices) };
}

/** These have neither content nor an end tag. */
export const voids = new Set(['br', 'col', 'hr', 'img', 'input', 'source', 'wbr']);

function propertiesOf(choices: Choices): Element['properties'] {
  const own: Element['properties'] = {};
  for (let count = choices.below(6); count > 3; count -= 1) {
    const odd = choices.below(2_000);
    const value = odd === 1_998 ? oneOf(changedTexts, choices) : oneOf(values, choices);
    own[oneOf(odd === 1_999 ? strangeProperties : properties, choices)] =
      odd % 7 === 0 ? [value, 'y'] : odd % 11 === 0 ? true : value;
  }
  return own;
}

/** Each name in the one before, with text after each element, which is white space where a table's parser wants no other. */
export function chain(names: readonly string[], withText: boolean): Root {
  let children: Element['children'] = [];
  for (let at = names.length - 1; at >= -1; at -= 1) {
    const parent = names[at] ?? '';
    if (withText && !voids.has(parent)) children.push({ type: 'text', value: tableParts.has(parent) ? ' ' : 'x' });
    if (at >= 0) children = [{ type: 'element', tagName: parent, properties: {}, children }];
  }
  return { type: 'root', children };
}

/** One of each kind that the parser has rules for. */
export const kinds =
  'a b br caption col colgroup dd div dl dt h1 h2 hr li p pre rt ruby span table tbody td tfoot th tr ul'.split(' ');

const containers = [
  ['table', 'tbody', 'tr', 'td'],
  ['table', 'caption'],
  ['ul', 'li'],
  ['dl', 'dd'],
  ['ruby', 'rt'],
  ['b', 'i'],
];

/** Each element in each other, and one of each kind in those. */
export function* chains(): Generator<string[]> {
  for (const outer of allowedNames) for (const inner of allowedNames) yield [outer, inner];
  for (const outer of kinds)
    for (const inner of kinds) {
      for (const middle of kinds) yield [outer, middle, inner];
      for (const around of containers) yield [...around, outer, inner];
    }
}
