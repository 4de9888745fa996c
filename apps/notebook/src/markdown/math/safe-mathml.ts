import type { Element, ElementContent } from 'hast';
import { element } from '../tree.ts';

interface Described {
  readonly type?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, unknown>>;
}

/** MathML Core without everything that links, acts, loads or contains HTML. */
const names = new Set([
  'mfrac',
  'mi',
  'mmultiscripts',
  'mn',
  'mo',
  'mover',
  'mpadded',
  'mphantom',
  'mprescripts',
  'mroot',
  'mrow',
  'ms',
  'mspace',
  'msqrt',
  'mstyle',
  'msub',
  'msubsup',
  'msup',
  'mtable',
  'mtd',
  'mtext',
  'mtr',
  'munder',
  'munderover',
]);
/** Elements that may contain only text. */
const tokenNames = new Set(['mi', 'mn', 'mo', 'ms', 'mtext']);

const word = /^[a-z-]{1,16}$/;
const length = /^-?\d{0,3}(?:\.\d{1,6})?(?:em|ex|pt|px|mu|%)?$/;
const color = /^(?:#[0-9a-f]{3,8}|[a-z]{3,24})$/i;

const attributes: Readonly<Record<string, RegExp>> = {
  accent: word,
  accentunder: word,
  columnspan: /^\d{1,3}$/,
  depth: length,
  displaystyle: word,
  fence: word,
  form: word,
  height: length,
  largeop: word,
  linethickness: length,
  lspace: length,
  mathbackground: color,
  mathcolor: color,
  mathsize: length,
  mathvariant: word,
  maxsize: length,
  minsize: length,
  movablelimits: word,
  rspace: length,
  scriptlevel: /^[+-]?\d$/,
  separator: word,
  stretchy: word,
  symmetric: word,
  voffset: length,
  width: length,
};

/** Temml's classes that our style sheet has. They are renamed, so that none can clash with the page's. */
const classes: Readonly<Record<string, string>> = {
  'tml-right': 'math-right',
  'tml-left': 'math-left',
  'tml-overline': 'math-over',
  'tml-underline': 'math-under',
  'tml-jot': 'math-jot',
  'tml-prime': 'math-prime',
  'tml-fbox': 'math-box',
};

/** MathML Core has no `menclose`, so it becomes a row that the style sheet draws lines on. */
const notations: Readonly<Record<string, string>> = {
  top: 'math-over',
  bottom: 'math-under',
  box: 'math-box',
  updiagonalstrike: 'math-strike-up',
  downdiagonalstrike: 'math-strike-down',
  horizontalstrike: 'math-strike',
};

/** The negative spaces in math.css, in mu (18 to an em). */
const backs = [1, 2, 3, 4, 5, 6, 9, 12, 18];

/** `\!` and the like become a negative margin, because MathML Core has no negative space. */
function backClass(margin: unknown): string {
  const em = /^-(\d{0,3}(?:\.\d{1,6})?)em$/.exec(String(margin ?? ''))?.[1];
  const back = backs.findLast(mu => mu <= Math.round(Number(em ?? 0) * 18));
  return back === undefined ? '' : `math-back-${back}`;
}

/** Our content security policy allows no inline style, so the styles that tables and boxes need become classes. */
function classesOfStyle(style: Readonly<Record<string, unknown>>): string[] {
  const has = (name: string, form: RegExp) => form.test(String(style[name] ?? ''));
  return [
    has('border', /solid/) ? 'math-box' : '',
    has('borderLeft', /solid|dashed/) ? 'math-line-left' : '',
    has('borderRight', /solid|dashed/) ? 'math-line-right' : '',
    has('borderTop', /solid|dashed/) ? 'math-line-top' : '',
    has('borderBottom', /solid|dashed/) ? 'math-line-bottom' : '',
    has('paddingLeft', /^0(?:\D|$)/) && !has('borderLeft', /solid|dashed/) ? 'math-flush-left' : '',
    has('paddingRight', /^0(?:\D|$)/) && !has('borderRight', /solid|dashed/) ? 'math-flush-right' : '',
    has('width', /^50%/) ? 'math-side' : has('width', /^100%/) ? 'math-full' : '',
    backClass(style.marginLeft),
  ].filter(name => name !== '');
}

/** Undefined for an element not in MathML Core. Its children then replace it. */
export function safeElement(node: Described, children: ElementContent[]): Element | undefined {
  const enclosed = node.type === 'menclose';
  const name = enclosed ? 'mrow' : node.type;
  if (name === undefined || !names.has(name)) return undefined;
  const properties: Element['properties'] = {};
  for (const [key, form] of Object.entries(attributes)) {
    const value = node.attributes?.[key];
    if (value !== undefined && form.test(String(value))) properties[key] = String(value);
  }
  const ink = String(node.style?.color ?? '');
  if (ink !== '' && color.test(ink)) properties.mathcolor = ink;
  const className = [
    ...(node.classes ?? []).flatMap(known => classes[known] ?? []),
    ...(enclosed
      ? String(node.attributes?.notation ?? '')
          .split(' ')
          .flatMap(notation => notations[notation] ?? [])
      : []),
    ...classesOfStyle(node.style ?? {}),
  ];
  if (className.length > 0) properties.className = [...new Set(className)];
  const allowed = tokenNames.has(name)
    ? children.filter(child => child.type === 'text')
    : children.filter(child => child.type !== 'text');
  return element(name, properties, allowed);
}
