/** A small generator of random numbers with a seed: a finding can be repeated. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return below => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = (below: number) => number;
const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

/** Where an element begins and ends in the text. */
interface Span {
  start: number;
  end: number;
}

/** All elements of well-formed text without comments, in document order. */
export function elementsOf(xml: string): Span[] {
  const open: number[] = [];
  const found: Span[] = [];
  for (const tag of xml.matchAll(/<(\/?)[^"'<>]*(?:"[^"]*"[^"'<>]*|'[^']*'[^"'<>]*)*?(\/?)>/g)) {
    const end = tag.index + tag[0].length;
    if (tag[1] === '/') found.push({ start: open.pop() ?? 0, end });
    else if (tag[0].endsWith('/>')) found.push({ start: tag.index, end });
    else open.push(tag.index);
  }
  return found.sort((left, right) => left.start - right.start);
}

const insertAt = (xml: string, at: number, text: string): string => xml.slice(0, at) + text + xml.slice(at);
const textOf = (xml: string, { start, end }: Span): string => xml.slice(start, end);
const without = (xml: string, { start, end }: Span): string => xml.slice(0, start) + xml.slice(end);

const spices = [
  '<!---->',
  '<?x y?>',
  '<![CDATA[]]>',
  '&#97;',
  '&admin;',
  '\u0000',
  '\ufeff',
  ' ',
  '\n',
  '\r',
  '<',
  '>',
  '"',
  "'",
  '&',
  ']]>',
  'admin',
  '_evil',
  '#_assertion1',
  'xmlns=""',
  ' xml:id="_assertion1"',
];
const names = [
  'saml:Assertion',
  'samlp:Response',
  'saml:NameID',
  'saml:Subject',
  'ds:Signature',
  'ds:SignedInfo',
  'ds:Object',
  'saml:Advice',
  'samlp:Extensions',
  'saml:Attribute',
  'evil',
];
const values = ['_assertion1', '_response1', '_evil', '', 'admin', 'https://evil.example', '#_response1', '2.0', 'constructor'];

const onBytes: ((xml: string, random: Random) => string)[] = [
  (xml, random) => {
    const bytes = Buffer.from(xml);
    const at = random(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return bytes.toString('latin1');
  },
  (xml, random) => insertAt(xml, random(xml.length), pick(random, spices)),
  (xml, random) => {
    const at = random(xml.length);
    return xml.slice(0, at) + xml.slice(at + 1 + random(20));
  },
  (xml, random) => {
    const at = random(xml.length);
    return insertAt(xml, random(xml.length), xml.slice(at, at + random(200)));
  },
  (xml, random) => xml.slice(0, random(xml.length)),
];

const onTree: ((xml: string, random: Random) => string)[] = [
  // Moved, duplicated, wrapped, renamed, swapped, dropped; a copy that says something else; an attribute that says something else.
  (xml, random) => {
    const moved = pick(random, elementsOf(xml));
    const rest = without(xml, moved);
    const target = pick(random, elementsOf(rest).concat({ start: 0, end: 0 }));
    return insertAt(rest, random(2) === 0 ? target.start : target.end, textOf(xml, moved));
  },
  (xml, random) => {
    const copied = pick(random, elementsOf(xml));
    const text = textOf(xml, copied).replaceAll('alice', random(2) === 0 ? 'admin' : 'alice');
    const target = pick(random, elementsOf(xml));
    return insertAt(
      xml,
      random(2) === 0 ? target.start : target.end,
      random(2) === 0 ? text : text.replace(/ID="[^"]*"/, 'ID="_copy"'),
    );
  },
  (xml, random) => {
    const wrapped = pick(random, elementsOf(xml));
    const name = pick(random, names);
    return `${xml.slice(0, wrapped.start)}<${name}>${textOf(xml, wrapped)}</${name}>${xml.slice(wrapped.end)}`;
  },
  (xml, random) => {
    const renamed = pick(random, elementsOf(xml));
    const name = pick(random, names);
    const text = textOf(xml, renamed)
      .replace(/^<[\w:]+/, `<${name}`)
      .replace(/<\/[\w:]+>$/, `</${name}>`);
    return xml.slice(0, renamed.start) + text + xml.slice(renamed.end);
  },
  (xml, random) => without(xml, pick(random, elementsOf(xml))),
  (xml, random) => {
    const all = [...xml.matchAll(/\s([\w:]+)="([^"]*)"/g)];
    if (all.length === 0) return `${xml}<`;
    const changed = pick(random, all);
    return `${xml.slice(0, changed.index)} ${changed[1]}="${pick(random, values)}"${xml.slice(changed.index + changed[0].length)}`;
  },
  (xml, random) => {
    const evil = xml.replaceAll('alice', 'admin').replaceAll('_assertion1', '_evil');
    const part = pick(random, elementsOf(evil));
    const target = pick(random, elementsOf(xml));
    return insertAt(xml, random(2) === 0 ? target.start : target.end, textOf(evil, part));
  },
];

/** One mutant: one to three steps, some on bytes, most on the tree. */
export function mutate(xml: string, random: Random): string {
  let mutant = xml;
  for (let steps = 1 + random(3); steps > 0; steps -= 1) {
    const step = random(3) === 0 ? pick(random, onBytes) : pick(random, onTree);
    mutant = elementsOf(mutant).length === 0 ? pick(random, onBytes)(mutant, random) : step(mutant, random);
  }
  return mutant;
}
