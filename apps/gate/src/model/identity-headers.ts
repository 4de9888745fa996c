import type { Identity } from './identity.ts';
import type { HeaderValue, Rule } from './rule.ts';

/** The identity headers of the contract; the configuration may rename them. */
export const defaultHeaderNames: Readonly<Record<string, HeaderValue>> = {
  'X-Auth-Subject': 'subject',
  'X-Auth-Issuer': 'issuer',
  'X-Auth-Email': 'email',
  'X-Auth-Name': 'name',
  'X-Auth-Groups': 'groups',
};

export const maxValueLength = 4096;

/**
 * What the upstream learns about the person. An attribute without a value gets no header.
 * @param onTooLong called for a header that is left out because servers would refuse one of its length, each time they are written
 */
export function identityHeaders(
  identity: Identity | undefined,
  names: Readonly<Record<string, HeaderValue>>,
  rule?: Rule,
  onTooLong: (name: string, length: number) => void = () => {},
): [string, string][] {
  if (identity === undefined) return [];
  // A session keeps one identity object until it is renewed, and names and rules stay the same objects until the configuration changes.
  const before = written.get(identity);
  if (before !== undefined && before.names === names && before.rule === rule) return [...before.headers];
  const headers = writeHeaders(identity, names, rule, onTooLong);
  written.set(identity, { names, rule, headers });
  return [...headers];
}

const written = new WeakMap<
  Identity,
  {
    readonly names: Readonly<Record<string, HeaderValue>>;
    readonly rule: Rule | undefined;
    readonly headers: readonly [string, string][];
  }
>();

function writeHeaders(
  identity: Identity,
  names: Readonly<Record<string, HeaderValue>>,
  rule: Rule | undefined,
  onTooLong: (name: string, length: number) => void,
): [string, string][] {
  const found: [string, string][] = [];
  for (const [name, what] of [...Object.entries(names), ...Object.entries(rule?.headers ?? {})]) {
    const value = headerValue(identity, what);
    if (value === undefined || value === '') continue;
    if (value.length <= maxValueLength) found.push([name, value]);
    else onTooLong(name, value.length);
  }
  return found;
}

function headerValue(identity: Identity, what: HeaderValue): string | undefined {
  switch (what) {
    case 'subject':
      return safeText(identity.subject);
    case 'issuer':
      return safeText(identity.issuer);
    case 'provider':
      return identity.provider;
    case 'name':
      return identity.name === undefined ? undefined : safeText(identity.name);
    // An address that nobody vouches for must not look like one that a provider vouches for.
    case 'email':
      return identity.isEmailTrusted ? identity.email?.address : undefined;
    case 'groups':
      return identity.groups.map(safeListEntry).join(',');
  }
}

/** Printable ASCII as it is; anything else as an RFC 8187 ext-value (`UTF-8''…`): no line break, and only one way to read it. */
function safeText(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("UTF-8''")) return text;
  return `UTF-8''${encodeURIComponent(text.toWellFormed()).replace(/['()*]/g, percent)}`;
}

/** A comma inside a group's name would turn one group into two. */
function safeListEntry(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x24\x26-\x2b\x2d-\x7e]/gu, encodeURIComponent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
