import type { ServerResponse } from 'node:http';

export type HeaderList = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An answer by the gate itself, as plain data; `sendAnswer` sends it. */
export interface Answer {
  readonly status: number;
  readonly headers?: HeaderList;
  readonly body?: string | Uint8Array;
}

/** Our answers are never cached, framed, sniffed or revealed to the next site. */
const always: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

export function sendAnswer(response: ServerResponse, answer: Answer, cookies: readonly string[] = []): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const headers: Record<string, string | string[]> = { ...always };
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    if (value === undefined || value === '') delete headers[name];
    else headers[name] = typeof value === 'string' ? value : [...value];
  }
  if (cookies.length > 0) headers['set-cookie'] = [...cookies];
  const body = answer.body === undefined ? undefined : Buffer.from(answer.body);
  if (body !== undefined || answer.status !== 204) headers['content-length'] = String(body?.length ?? 0);
  response.writeHead(answer.status, headers);
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

export function redirect(location: string, headers: HeaderList = {}): Answer {
  return { status: 303, headers: { ...headers, location } };
}

/**
 * The answer that ends a session: with it the browser drops the pages that it keeps of this site. Otherwise the back button would show those
 * of a person who has signed out, without asking us.
 */
export function forgettingPages(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'clear-site-data': '"cache"' } };
}

export function json(status: number, value: unknown, headers: HeaderList = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: `${JSON.stringify(value)}\n` };
}

/**
 * Where a form that is sent to a provider may lead. Browsers apply `form-action` to redirects too, and providers redirect to
 * other hosts of theirs, so any https address is allowed; the form's own target is fixed. An address of ours needs no addition.
 */
export function formTargets(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' ? ['https:'] : ['https:', origin];
}

/** A page whose form ends at a provider: browsers apply `form-action` to redirects too, and their targets are not known yet. */
export function pageWithForm(status: number, html: string): Answer {
  return page(status, html, { 'content-security-policy': pagePolicy({ formAction: ['https:', 'http:'] }) });
}

export function page(status: number, html: string, headers: HeaderList = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy(), ...headers },
    body: html,
  };
}

/** Our pages load one style sheet of ours and run no script. `formAction`: further origins that a form may go to. */
export function pagePolicy(more: { formAction?: readonly string[]; script?: string } = {}): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action 'self'${(more.formAction ?? []).map(origin => ` ${origin}`).join('')}`,
    ...(more.script === undefined ? [] : [`script-src ${more.script}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
