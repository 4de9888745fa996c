/** A browser in a few lines: cookies by origin, redirects followed one by one, forms posted as they stand. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, ...(cookie === '' ? {} : { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=');
      if (/;\s*Max-Age=0(?:;|$)/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** How many cookies of that origin it holds. */
  cookieCount(url: string): number {
    return this.#cookies.get(new URL(url).origin)?.size ?? 0;
  }

  /** Follows redirects to the first page. */
  async visit(url: string): Promise<Response> {
    let response = await this.open(url);
    for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 10; hops += 1) {
      response = await this.open(new URL(response.headers.get('location') ?? '', url).href);
    }
    return response;
  }

  /** Posts the form of a page. */
  async submit(page: string, change: (fields: URLSearchParams) => void = () => {}): Promise<Response> {
    const action = /<form method="post" action="([^"]*)"/.exec(page)?.[1] ?? '';
    const plain = (text: string) =>
      text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).replaceAll('&quot;', '"');
    const fields = new URLSearchParams(
      [...page.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, plain(value)]),
    );
    change(fields);
    return await this.open(plain(action), { method: 'POST', body: fields });
  }
}
