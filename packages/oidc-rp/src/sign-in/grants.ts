import type { Configuration } from '../client/configuration.ts';
import { scopeName } from '../client/options.ts';
import { readResource, resourceShape } from '../client/resource.ts';
import { OidcError } from '../errors.ts';
import { type ExchangedToken, requestExchange, requestTokens, type TokenSet } from '../tokens/token-request.ts';
import { dictionaryOf, listOf, type Members, may, members, must, requireShape, text } from '../values/shape.ts';
import { readTokenParameters } from './authorization-request.ts';

/** The options of a token request besides sign-in. */
export interface TokenRequest {
  scopes?: readonly string[] | undefined;
  /** The APIs that the token is for, as absolute URIs (RFC 8707). */
  resource?: string | readonly string[] | undefined;
  /** Provider-specific parameters, such as `audience`. */
  tokenParameters?: Readonly<Record<string, string>> | undefined;
}

/** A token to be exchanged for another (RFC 8693 §2.1). */
export interface TokenExchangeRequest extends TokenRequest {
  /** The token of the party on whose behalf the new token acts. */
  subjectToken: string;
  /** Its type, such as `urn:ietf:params:oauth:token-type:access_token`. */
  subjectTokenType: string;
  /** The token of the acting party. */
  actorToken?: string | undefined;
  actorTokenType?: string | undefined;
  /** The type of token requested. Default: the provider's choice. */
  requestedTokenType?: string | undefined;
  /** The service that the new token is for, by its name at the provider. */
  audience?: string | readonly string[] | undefined;
}

const common: Members<TokenRequest> = {
  scopes: may(listOf(scopeName, 'strings')),
  resource: may(resourceShape),
  tokenParameters: may(dictionaryOf(text(8192), 'strings')),
};
const credentialsShape = members<TokenRequest>(common);
const token = text(65_536);
const exchangeShape = members<TokenExchangeRequest>({
  ...common,
  subjectToken: must(token),
  subjectTokenType: must(text(200)),
  actorToken: may(token),
  actorTokenType: may(text(200)),
  requestedTokenType: may(text(200)),
  audience: may((value, path) => (typeof value === 'string' ? text()(value, path) : listOf(text(), 'strings')(value, path))),
});

/** Requests a token for this client itself (RFC 6749 §4.4). It involves no person and no ID Token. */
export async function requestClientCredentials(configuration: Configuration, url: URL, request: TokenRequest): Promise<TokenSet> {
  requireShape(request, 'request', credentialsShape);
  if (configuration.clientAuthentication.method === 'none')
    throw new OidcError('OIDC_CONFIG_INVALID', {
      check: 'options.clientAuthentication',
      expected: 'a client with a secret or a key',
    });
  return requestTokens(configuration, url, [...extras(request), ['grant_type', 'client_credentials']]);
}

/** Exchanges a token for one that another service accepts (RFC 8693). */
export async function exchangeToken(
  configuration: Configuration,
  url: URL,
  request: TokenExchangeRequest,
): Promise<ExchangedToken> {
  requireShape(request, 'request', exchangeShape);
  // RFC 8693 §2.1: the type is required with an actor token, and forbidden without one.
  if ((request.actorToken === undefined) !== (request.actorTokenType === undefined))
    throw new OidcError('OIDC_CONFIG_INVALID', {
      check: 'request.actorTokenType',
      expected: 'actorToken and actorTokenType together',
    });
  const optional: [string, string | undefined][] = [
    ['actor_token', request.actorToken],
    ['actor_token_type', request.actorTokenType],
    ['requested_token_type', request.requestedTokenType],
    ...[request.audience ?? []].flat().map((audience): [string, string] => ['audience', audience]),
  ];
  return requestExchange(configuration, url, [
    ...extras(request),
    ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    ['subject_token', request.subjectToken],
    ['subject_token_type', request.subjectTokenType],
    ...optional.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  ]);
}

function extras(request: TokenRequest): [string, string][] {
  const scope: [string, string][] = request.scopes?.length ? [['scope', request.scopes.join(' ')]] : [];
  return [
    ...Object.entries(readTokenParameters(request.tokenParameters ?? {}, 'request.tokenParameters')),
    ...scope,
    ...readResource(request.resource).pairs,
  ];
}

/** The shape of the options of a refresh. */
export const tokenRequestShape = credentialsShape;
