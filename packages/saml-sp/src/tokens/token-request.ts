import { SamlError } from '../errors.ts';
import { endpointReader } from '../values/safe-endpoint.ts';
import { fn, number, optional, type Reader, readShape, shape, text } from '../values/shape.ts';
import { renderAssertionGrant } from './token-exchange.ts';

/** As which client a request is made, and how. */
interface ClientRequest {
  clientId?: string;
  /** With `clientId`: sent as HTTP Basic (RFC 6749 2.3.1). */
  clientSecret?: string;
  /** How long it may take, in seconds; default 10. */
  timeoutSeconds?: number;
  fetch?: typeof globalThis.fetch;
}

/** Where tokens are requested, and as which client. */
interface TokenEndpointRequest extends ClientRequest {
  /** The authorization server's token endpoint. */
  tokenEndpoint: string;
  scope?: string;
}

/** A request to exchange an assertion for an access token. */
export interface AssertionTokenRequest extends TokenEndpointRequest {
  /** `identity.assertionXml`: the assertion exactly as it was signed. */
  assertionXml: string;
}

/** A request to renew a token that an assertion was exchanged for. */
export interface TokenRenewal extends TokenEndpointRequest {
  /** The `refreshToken` of the previous answer. */
  refreshToken: string;
}

/** A request to revoke a token that an assertion was exchanged for. */
export interface TokenRevocation extends ClientRequest {
  /** The authorization server's revocation endpoint. */
  revocationEndpoint: string;
  /** The `refreshToken` of the last answer. */
  refreshToken: string;
}

/** The token that the authorization server issued (RFC 6749 5.1). */
export interface AssertionToken {
  accessToken: string;
  tokenType: string;
  /** Seconds from now. */
  expiresIn: number | undefined;
  scope: string | undefined;
  refreshToken: string | undefined;
}

const client = {
  clientId: optional(text()),
  clientSecret: optional(text()),
  timeoutSeconds: optional(number(0.01, 600)),
  fetch: optional(fn<typeof globalThis.fetch>()),
};
const common = { ...client, tokenEndpoint: endpointReader, scope: optional(text()) };
const requestReader = shape({ ...common, assertionXml: text() }) as unknown as Reader<AssertionTokenRequest>;
const renewalReader = shape({ ...common, refreshToken: text() }) as unknown as Reader<TokenRenewal>;
const revocationReader = shape({
  ...client,
  revocationEndpoint: endpointReader,
  refreshToken: text(),
}) as unknown as Reader<TokenRevocation>;

const maxBytes = 65_536;
const unanswered = (cause?: unknown): SamlError =>
  new SamlError('SAML_TOKEN_REQUEST', 'the token endpoint did not return a valid response (RFC 6749)', { cause });

async function readJson(response: Response): Promise<Record<string, unknown>> {
  let size = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new SamlError('SAML_TOKEN_REQUEST', `the token endpoint responded with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const read = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw unanswered();
  return read as Record<string, unknown>;
}

async function post(url: string, request: ClientRequest, body: string): Promise<Response> {
  const { clientId, clientSecret } = request;
  const form = (value: string): string => new URLSearchParams({ v: value }).toString().slice(2);
  const basic = Buffer.from(`${form(clientId ?? '')}:${form(clientSecret ?? '')}`).toString('base64');
  return await (request.fetch ?? globalThis.fetch)(url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout((request.timeoutSeconds ?? 10) * 1000),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(clientSecret === undefined ? {} : { authorization: `Basic ${basic}` }),
    },
    body,
  });
}

/** Our parameters in the form: a client with a secret identifies itself in the header instead. */
const clientOf = ({
  scope,
  clientId,
  clientSecret,
}: ClientRequest & { scope?: string }): { scope?: string; clientId?: string } => ({
  ...(scope === undefined ? {} : { scope }),
  ...(clientId === undefined || clientSecret !== undefined ? {} : { clientId }),
});

const textOr = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Some servers send the number as text, or null where they do not say: not a token that has expired already. */
function secondsOr(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/**
 * Exchanges an assertion for an access token (RFC 7522 2.1) and reads the answer.
 * @throws SamlError `SAML_TOKEN_REQUEST`; its message names the server's error code, never the assertion or a token
 * @example const { accessToken } = await requestToken({ tokenEndpoint, assertionXml: identity.assertionXml });
 */
export async function requestToken(request: AssertionTokenRequest): Promise<AssertionToken> {
  const checked = readShape(request, 'request', requestReader);
  return await ask(checked, renderAssertionGrant(checked.assertionXml, clientOf(checked)));
}

/**
 * Renews a token that an assertion was exchanged for (RFC 6749 6). Assertions are valid for minutes, so this is how a session
 * keeps its token.
 * @throws SamlError `SAML_TOKEN_REQUEST`; its message names the server's error code, never a token
 * @example const { accessToken, refreshToken } = await renewToken({ tokenEndpoint, refreshToken: before.refreshToken });
 */
export async function renewToken(request: TokenRenewal): Promise<AssertionToken> {
  const checked = readShape(request, 'request', renewalReader);
  const { scope, clientId } = clientOf(checked);
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: checked.refreshToken });
  if (scope !== undefined) form.set('scope', scope);
  if (clientId !== undefined) form.set('client_id', clientId);
  return await ask(checked, form.toString());
}

/**
 * Revokes the refresh token that came with a token, so that nobody can renew it any more (RFC 7009). A token that the server does not
 * know counts as revoked.
 * @throws SamlError `SAML_TOKEN_REQUEST`; its message names the server's error code, never a token
 * @example await revokeToken({ revocationEndpoint, refreshToken });
 */
export async function revokeToken(request: TokenRevocation): Promise<void> {
  const checked = readShape(request, 'request', revocationReader);
  const form = new URLSearchParams({ token: checked.refreshToken, token_type_hint: 'refresh_token' });
  const { clientId } = clientOf(checked);
  if (clientId !== undefined) form.set('client_id', clientId);
  const response = await post(checked.revocationEndpoint, checked, form.toString()).catch(cause => {
    throw new SamlError('SAML_TOKEN_REQUEST', 'the revocation endpoint did not respond', { cause });
  });
  if (response.status !== 200) throw refusal('revocation', response, (await readJson(response).catch(() => undefined))?.error);
  // RFC 7009 2.2: the status says it all. Nobody reads the body, so it must not hold the connection.
  await response.body?.cancel().catch(() => {});
}

function refusal(which: 'token' | 'revocation', response: Response, error: unknown): SamlError {
  const code = /^[\x21\x23-\x5b\x5d-\x7e]{1,60}$/.exec(textOr(error) ?? '')?.[0] ?? `status ${response.status}`;
  return new SamlError('SAML_TOKEN_REQUEST', `the ${which} endpoint refused: ${code}`);
}

async function ask(request: TokenEndpointRequest, body: string): Promise<AssertionToken> {
  const [response, answer] = await post(request.tokenEndpoint, request, body)
    .then(async response => [response, await readJson(response)] as const)
    .catch(cause => {
      throw cause instanceof SamlError ? cause : unanswered(cause);
    });
  if (response.status !== 200) throw refusal('token', response, answer.error);
  const [accessToken, tokenType] = [textOr(answer.access_token), textOr(answer.token_type)];
  if (accessToken === undefined || tokenType === undefined) throw unanswered();
  return {
    accessToken,
    tokenType,
    expiresIn: secondsOr(answer.expires_in),
    scope: textOr(answer.scope),
    refreshToken: textOr(answer.refresh_token),
  };
}
