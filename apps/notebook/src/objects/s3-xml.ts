import type { ObjectPage, StoredObject } from './object-store.ts';

// Readers for the three answers that we ask S3 for. They are flat lists in a fixed grammar without attributes inside an entry, so searching
// for their tags is enough. Text of any other form is rejected.

/** @returns undefined when this is not a listing */
export function readListing(xml: string): ObjectPage | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml) || !xml.includes('</ListBucketResult>')) return undefined;
  const read = textOf(xml, 'EncodingType') === 'url' ? decodeKey : (key: string) => key;
  const objects: StoredObject[] = [];
  for (const entry of elementsOf(xml, 'Contents')) {
    const object = readObject(entry, read);
    if (!object) return undefined;
    objects.push(object);
  }
  const truncated = textOf(xml, 'IsTruncated');
  if (truncated === 'false') return { objects };
  const next = textOf(xml, 'NextContinuationToken');
  return truncated === 'true' && next ? { objects, next } : undefined;
}

function readObject(entry: string, readKey: (text: string) => string): StoredObject | undefined {
  const key = textOf(entry, 'Key');
  const bytes = Number(textOf(entry, 'Size'));
  const modifiedAt = Date.parse(textOf(entry, 'LastModified') ?? '');
  if (!key || !Number.isSafeInteger(bytes) || Number.isNaN(modifiedAt)) return undefined;
  return { key: readKey(key), bytes, modifiedAt };
}

export interface NotDeleted {
  /** One of the requested keys; absent when the store does not say which. */
  readonly key: string | undefined;
  readonly code: string;
}

/** @returns the keys that were not deleted, or undefined when this is not an answer to a deletion */
export function readDeleteResult(xml: string): NotDeleted[] | undefined {
  // An answer that is cut short may lack the keys that stayed.
  if (!/<DeleteResult[\s>/]/.test(xml) || !/<\/DeleteResult>|<DeleteResult(?:\s[^<>]*)?\/>/.test(xml)) return undefined;
  return [...elementsOf(xml, 'Error')]
    .map(entry => ({ key: textOf(entry, 'Key'), code: readCode(entry) ?? 'an error without a code' }))
    .filter(({ code }) => code !== 'NoSuchKey');
}

/** Reads the code of an error document; its other elements repeat our key id and what we signed. */
export function readErrorCode(xml: string): string | undefined {
  return /<Error[\s>]/.test(xml) ? readCode(xml) : undefined;
}

function readCode(xml: string): string | undefined {
  const code = textOf(xml, 'Code');
  return code && /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : undefined;
}

/** Quiet mode: the store answers only with the keys that it did not delete. */
export function writeDeleteBody(keys: readonly string[]): string {
  const objects = keys.map(key => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?><Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`;
}

/** The content of each element with this name. */
function* elementsOf(xml: string, name: string): Generator<string> {
  const [opening, closing] = [`<${name}>`, `</${name}>`];
  for (let start = xml.indexOf(opening); start >= 0; ) {
    const end = xml.indexOf(closing, start);
    if (end < 0) return;
    yield xml.slice(start + opening.length, end);
    start = xml.indexOf(opening, end);
  }
}

/** The text of the first element with this name. */
function textOf(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  if (start < 0) return undefined;
  const end = xml.indexOf(`</${name}>`, start);
  return end < 0 ? undefined : unescapeXml(xml.slice(start + name.length + 2, end));
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));/g, (whole, decimal, hex, name) => {
    if (name) return entities[name] ?? whole;
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** Escapes everything except letters, digits and the characters of our keys as numbers: no key can leave its element. */
function escapeXml(text: string): string {
  return text.replace(/[^A-Za-z0-9/._-]/gu, character => `&#${character.codePointAt(0)};`);
}

/** Names that XML cannot contain are percent-encoded as in a form: `+` is a space. */
function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
