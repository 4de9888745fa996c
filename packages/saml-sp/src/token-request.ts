import { SamlError } from './errors.ts';
import { endpointReader } from './safe-endpoint.ts';
import { fn, number, optional, type Reader, readShape, shape, text } from './shape.ts';
import { renderAssertionGrant } from './token-exchange.ts';

/** Where an assertion is traded for an access token, and as whom. */
export interface AssertionTokenRequest {
  /** The authorization server's token endpoint. */
  tokenEndpoint: string;
  /** `identity.assertionXml`: the assertion exactly as it was signed. */
  assertionXml: string;
  scope?: string;
  clientId?: string;
  /** With `clientId`: HTTP Basic (RFC 6749 2.3.1). */
  clientSecret?: string;
  /** How long it may take, in seconds: 10 unless said. */
  timeoutSeconds?: number;
  fetch?: typeof globalThis.fetch;
}

/** What the authorization server gave (RFC 6749 5.1). */
export interface AssertionToken {
  accessToken: string;
  tokenType: string;
  /** Seconds from now. */
  expiresIn: number | undefined;
  scope: string | undefined;
  refreshToken: string | undefined;
}

const requestReader = shape({
  tokenEndpoint: endpointReader,
  assertionXml: text(),
  scope: optional(text()),
  clientId: optional(text()),
  clientSecret: optional(text()),
  timeoutSeconds: optional(number(0.01, 600)),
  fetch: optional(fn<typeof globalThis.fetch>()),
}) as unknown as Reader<AssertionTokenRequest>;

const maxBytes = 65_536;
const unanswered = (cause?: unknown): SamlError =>
  new SamlError('SAML_TOKEN_REQUEST', 'the token endpoint did not answer as RFC 6749 says', { cause });

async function readJson(response: Response): Promise<Record<string, unknown>> {
  let size = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw unanswered();
    chunks.push(chunk);
  }
  const read = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw unanswered();
  return read as Record<string, unknown>;
}

async function post({
  tokenEndpoint,
  assertionXml,
  ...request
}: AssertionTokenRequest): Promise<[Response, Record<string, unknown>]> {
  const { scope, clientId, clientSecret } = request;
  const form = (value: string): string => new URLSearchParams({ v: value }).toString().slice(2);
  const basic = Buffer.from(`${form(clientId ?? '')}:${form(clientSecret ?? '')}`).toString('base64');
  const response = await (request.fetch ?? globalThis.fetch)(tokenEndpoint, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout((request.timeoutSeconds ?? 10) * 1000),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(clientSecret === undefined ? {} : { authorization: `Basic ${basic}` }),
    },
    body: renderAssertionGrant(assertionXml, {
      ...(scope === undefined ? {} : { scope }),
      ...(clientId === undefined || clientSecret !== undefined ? {} : { clientId }),
    }),
  });
  return [response, await readJson(response)];
}

const textOr = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/**
 * Trades an assertion for an access token (RFC 7522 2.1) and reads the answer.
 * @throws SamlError `SAML_TOKEN_REQUEST`; its message names the server's error code, never the assertion or a token
 * @example const { accessToken } = await requestToken({ tokenEndpoint, assertionXml: identity.assertionXml });
 */
export async function requestToken(request: AssertionTokenRequest): Promise<AssertionToken> {
  const checked = readShape(request, 'request', requestReader);
  const [response, answer] = await post(checked).catch(cause => {
    throw cause instanceof SamlError ? cause : unanswered(cause);
  });
  if (response.status !== 200) {
    const code = /^[\x21\x23-\x5b\x5d-\x7e]{1,60}$/.exec(textOr(answer.error) ?? '')?.[0] ?? `status ${response.status}`;
    throw new SamlError('SAML_TOKEN_REQUEST', `the token endpoint refused: ${code}`);
  }
  const [accessToken, tokenType] = [textOr(answer.access_token), textOr(answer.token_type)];
  if (accessToken === undefined || tokenType === undefined) throw unanswered();
  const seconds = Number(answer.expires_in);
  return {
    accessToken,
    tokenType,
    expiresIn: answer.expires_in !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined,
    scope: textOr(answer.scope),
    refreshToken: textOr(answer.refresh_token),
  };
}
