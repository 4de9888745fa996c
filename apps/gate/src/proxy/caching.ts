/**
 * Who may cache an answer. `as-said`: anyone the application allows. `if-public`: it was made for a signed-in person, at an
 * address that anyone may open, so others may get it only if the application calls it public. `private`: only that person's own
 * browser.
 */
export type Caching = 'as-said' | 'if-public' | 'private';

/** The caching headers of an answer, as the upstream wrote them. */
export class CachingWords {
  readonly #caching: Exclude<Caching, 'as-said'>;
  readonly #pairs: string[] = [];
  #control = '';
  #vary = '';

  constructor(caching: Exclude<Caching, 'as-said'>) {
    this.#caching = caching;
  }

  /** Takes a header for which `saysWhoMayKeep` holds. */
  take(name: string, value: string): void {
    const lower = name.toLowerCase();
    this.#pairs.push(name, value);
    if (lower === 'cache-control') this.#control = joined(this.#control, value);
    if (lower === 'vary') this.#vary = joined(this.#vary, value);
  }

  /**
   * The caching headers that go to the person. Shared caches do not store the answer to a request with `Authorization` (RFC 9111
   * §3.5), but ignore cookies: an answer made for one person would go to the next one, past the gate.
   * @param isReserved identity headers: clients never send these, so in front of the gate `Vary` on one of them separates nothing
   */
  headers(isReserved: (name: string) => boolean): readonly string[] {
    if (this.#caching === 'if-public' && isPublic(this.#control) && !this.#vary.split(',').some(name => isReserved(name.trim())))
      return this.#pairs;
    const out: string[] = this.#vary === '' ? [] : ['Vary', this.#vary];
    out.push('Cache-Control', privateForm(this.#control));
    return out;
  }
}

function joined(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`;
}

/**
 * Includes headers for shared caches only (RFC 9213 and its predecessors), which take precedence over Cache-Control.
 * @param name in lower case
 */
export function saysWhoMayKeep(name: string): boolean {
  return name === 'cache-control' || name === 'vary' || name.endsWith('cdn-cache-control') || forSharedCaches.has(name);
}

const forSharedCaches = new Set(['surrogate-control', 'edge-control', 'x-accel-expires']);

/** RFC 9111 §5.2: `name`, `name=value`, `name="value, with commas"`. Everything after an unclosed quote is dropped. */
function directivesOf(control: string): { readonly name: string; readonly text: string }[] {
  const found: { name: string; text: string }[] = [];
  let text = '';
  let isQuoted = false;
  for (const character of `${control},`) {
    if (character === '"') isQuoted = !isQuoted;
    if (character !== ',' || isQuoted) text += character;
    else {
      const [name] = text.split('=', 1) as [string];
      if (name.trim() !== '') found.push({ name: name.trim().toLowerCase(), text: text.trim() });
      text = '';
    }
  }
  return found;
}

const isPublic = (control: string): boolean => directivesOf(control).some(({ name }) => name === 'public');

/** These let a shared cache store the answer, or keep only part of it out (`private="set-cookie"`). */
const forShared = new Set(['public', 's-maxage', 'proxy-revalidate', 'private']);

/** Results for values seen before: applications send few, and short ones. */
const known = new Map<string, string>();
const [maxKnown, maxKnownLength] = [500, 200];

function privateForm(control: string): string {
  let form = known.get(control);
  if (form === undefined) {
    const kept = directivesOf(control).filter(({ name }) => !forShared.has(name));
    form = ['private', ...kept.map(({ text }) => text)].join(', ');
    if (known.size < maxKnown && control.length <= maxKnownLength) known.set(control, form);
  }
  return form;
}
