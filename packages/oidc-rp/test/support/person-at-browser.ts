/** A person at a browser: keeps cookies per origin, follows redirects, fills in the provider's forms. */
export class PersonAtBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Signs in and consents, starting at an authorization request, until the provider sends the browser to that address. */
  async signIn(start: URL, login: string, backTo: string): Promise<string> {
    let page = await this.open(start, backTo);
    for (let step = 0; page.address === undefined && step < 4; step += 1) {
      const prompt = /name="prompt" value="(\w+)"/.exec(page.html)?.[1];
      if (prompt === undefined)
        throw new Error(`an unexpected page: ${page.html.replace(/<style[\s\S]*?<\/style>/g, '').slice(0, 800)}`);
      page = await this.submit(page, { prompt, ...(prompt === 'login' ? { login, password: 'x' } : {}) }, backTo);
    }
    return page.address ?? fail('the provider never sent the browser back');
  }

  /** Enters the code of a device, signs in and consents, until the provider says that the device may go on. */
  async enterCode(start: URL, login: string): Promise<void> {
    const nowhere = 'https://nowhere.invalid';
    let page = await this.open(start, nowhere);
    for (let step = 0; step < 6 && page.html.includes('<form'); step += 1) {
      const prompt = /name="prompt" value="(\w+)"/.exec(page.html)?.[1];
      const hidden = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
      const fields: Record<string, string> = Object.fromEntries(hidden.map(([, name, value]) => [name!, value!]));
      if (prompt === 'login') Object.assign(fields, { login, password: 'x' });
      page = await this.submit(page, fields, nowhere);
    }
  }

  /** Signs out at the provider and says yes when asked. */
  async signOut(start: URL, backTo: string): Promise<string> {
    const page = await this.open(start, backTo);
    if (page.address !== undefined) return page.address;
    const xsrf = /name="xsrf" value="(\w+)"/.exec(page.html)?.[1] ?? fail(`no form: ${page.html.slice(0, 500)}`);
    return (await this.submit(page, { xsrf, logout: 'yes' }, backTo)).address ?? fail('the provider never sent the browser back');
  }

  async open(address: URL, backTo: string, init: RequestInit = {}): Promise<Page> {
    if (address.href.startsWith(backTo)) return { url: address, html: '', address: address.href };
    const headers = new Headers(init.headers);
    headers.set('cookie', this.#cookieHeader(address.origin));
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    this.#keep(address.origin, response.headers.getSetCookie());
    const location = response.headers.get('location');
    if (location === null) return { url: address, html: await response.text(), address: undefined };
    return this.open(new URL(location, address), backTo);
  }

  async submit(page: Page, fields: Record<string, string>, backTo: string): Promise<Page> {
    const action = /<form[^>]*action="([^"]+)"/.exec(page.html)?.[1] ?? fail('no form');
    return this.open(new URL(action, page.url), backTo, { method: 'POST', body: new URLSearchParams(fields) });
  }

  #cookieHeader(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(origin: string, lines: string[]): void {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    for (const line of lines) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    this.#cookies.set(origin, jar);
  }
}

interface Page {
  url: URL;
  html: string;
  /** Set when the browser was sent back to the relying party. */
  address: string | undefined;
}

function fail(reason: string): never {
  throw new Error(reason);
}
