/** The cookies of a browser on https, as RFC 6265bis has them: which of them a request brings depends on who asks, and how. */
export class BrowserCookies {
  readonly #cookies = new Map<string, { readonly value: string; readonly site: string }>();

  take(answer: Response): Response {
    for (const text of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = text.split(/; */);
      const at = pair.indexOf('=');
      const site = attributes.find(one => one.startsWith('SameSite='))?.slice('SameSite='.length) ?? 'Lax';
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), { value: pair.slice(at + 1), site });
    }
    return answer;
  }

  /** For a page that the person opens, or that a redirect leads to, wherever it comes from. */
  get toPage(): string {
    return this.#header(() => true);
  }

  /** For a form that a page of another site sends. */
  get withForeignForm(): string {
    return this.#header(site => site === 'None');
  }

  #header(isSent: (site: string) => boolean): string {
    return [...this.#cookies]
      .filter(([, { site }]) => isSent(site))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }
}
