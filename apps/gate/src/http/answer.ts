import type { ServerResponse } from 'node:http';

export type HeaderList = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What the gate says itself, as plain data; sent by `sendAnswer`. */
export interface Answer {
  readonly status: number;
  readonly headers?: HeaderList;
  readonly body?: string | Uint8Array;
}

/** Nothing of ours is kept by a cache, framed, sniffed or told to the next site. */
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

export function json(status: number, value: unknown, headers: HeaderList = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: `${JSON.stringify(value)}\n` };
}

/**
 * Where a form that is sent to a provider may lead. Browsers hold its redirects to `form-action`, and providers redirect to other hosts of
 * theirs; where the form itself goes is fixed. Nothing more for an address of ours.
 */
export function formTargets(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' ? ['https:'] : ['https:', origin];
}

/** A page whose form ends at a provider: browsers hold a form's redirects to `form-action`, and where they lead is not known yet. */
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

/** Our pages have one style sheet of ours and no script. `formAction`: other origins that a form goes to. */
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
