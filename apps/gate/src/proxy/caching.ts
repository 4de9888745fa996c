/**
 * Who may keep an answer. `as-said`: whoever the application says. `if-public`: made for somebody who is signed in, at an address that anyone
 * may open: others get it only where the application calls it public. `private`: nobody but that person's own browser.
 */
export type Caching = 'as-said' | 'if-public' | 'private';

/** What an answer says about being kept, as the upstream wrote it. */
export class CachingWords {
  readonly #pairs: string[] = [];
  #control = '';
  #vary = '';

  /** A header that `saysWhoMayKeep`. */
  take(name: string, value: string): void {
    const lower = name.toLowerCase();
    this.#pairs.push(name, value);
    if (lower === 'cache-control') this.#control = joined(this.#control, value);
    if (lower === 'vary') this.#vary = joined(this.#vary, value);
  }

  /**
   * The headers that go to the person. Shared caches know a request with `Authorization` and leave its answer alone (RFC 9111 §3.5), but a cookie tells
   * them nothing: what was made for one person would go to the next one, past the gate. @param isReserved identity headers: no client sends
   * those, so `Vary` on one of them keeps nothing apart in front of the gate
   */
  headers(caching: Exclude<Caching, 'as-said'>, isReserved: (name: string) => boolean): readonly string[] {
    if (caching === 'if-public' && isPublic(this.#control) && !this.#vary.split(',').some(name => isReserved(name.trim())))
      return this.#pairs;
    const out: string[] = this.#vary === '' ? [] : ['Vary', this.#vary];
    out.push('Cache-Control', this.#control === '' ? 'private' : privateForm(this.#control));
    return out;
  }
}

function joined(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`;
}

/** Also what is for shared caches alone (RFC 9213 and what came before it), which put it above Cache-Control. @param name in lower case */
export function saysWhoMayKeep(name: string): boolean {
  return name === 'cache-control' || name === 'vary' || name.endsWith('cdn-cache-control') || forSharedCaches.has(name);
}

const forSharedCaches = new Set(['surrogate-control', 'edge-control', 'x-accel-expires']);

/** RFC 9111 §5.2: `name`, `name=value`, `name="value, with commas"`. What follows a quote that nobody closes is left out. */
function directivesOf(control: string): { readonly name: string; readonly text: string }[] {
  const found: { name: string; text: string }[] = [];
  let text = '';
  let isQuoted = false;
  for (const character of `${control},`) {
    if (character === '"') isQuoted = !isQuoted;
    if (character !== ',' || isQuoted) text += character;
    else {
      const [name = ''] = text.split('=', 1);
      if (name.trim() !== '') found.push({ name: name.trim().toLowerCase(), text: text.trim() });
      text = '';
    }
  }
  return found;
}

const isPublic = (control: string): boolean => directivesOf(control).some(({ name }) => name === 'public');

/** They let a shared cache keep the answer, or keep it from it in part only (`private="set-cookie"`). */
const forShared = new Set(['public', 's-maxage', 'proxy-revalidate', 'private']);

/** What the values that applications send came to: there are few, and those are short. */
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
