/** A plain address: one @, a dot-atom before it, a domain of letters, digits, hyphens after it. */
export interface Email {
  /** The domain in lower case, the part before the @ unchanged. */
  readonly address: string;
  readonly domain: string;
}

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const label = /^[a-z0-9-]{1,63}$/;

/** At least two labels of letters, digits and inner hyphens. */
function isDomain(text: string): boolean {
  const labels = text.split('.');
  const isLabel = (one: string) => label.test(one) && !one.startsWith('-') && !one.endsWith('-');
  return text.length <= 253 && labels.length >= 2 && labels.every(isLabel);
}

/**
 * Reads an address strictly. Quoted parts, comments, a second @, non-ASCII and a trailing dot can all make two programs see two
 * different domains, so such an address is rejected.
 */
export function readEmail(text: unknown): Email | undefined {
  if (typeof text !== 'string' || text.length > 254) return undefined;
  const parts = text.split('@');
  if (parts.length !== 2) return undefined;
  const [local = '', rawDomain = ''] = parts;
  const domain = rawDomain.toLowerCase();
  if (local.length > 64 || !local.split('.').every(part => localPart.test(part)) || !isDomain(domain)) return undefined;
  return { address: `${local}@${domain}`, domain };
}

export function readDomain(text: string): string | undefined {
  const domain = text.toLowerCase();
  return isDomain(domain) ? domain : undefined;
}
