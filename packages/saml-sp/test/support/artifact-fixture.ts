import { createHash } from 'node:crypto';
import type { SamlErrorCode } from '../../src/errors.ts';
import type { IdentityProvider, IdentityProviderPolicy } from '../../src/idp/identity-provider.ts';
import type { ServiceProvider } from '../../src/service-provider.ts';
import type { PendingSignIn } from '../../src/sign-in/pending.ts';
import type { SamlIdentity } from '../../src/sign-in/response.ts';
import type { ServiceProviderOptions } from '../../src/sp/configuration.ts';
import { ns } from '../../src/xml/names.ts';
import { changed } from './changed.ts';
import { codeOf } from './refusal.ts';
import { buildResponse } from './response.ts';
import { type SignOptions, signElement } from './signer.ts';
import { at, createServiceProvider, idp, knownIdp, otherIdp, pending } from './world.ts';

export const resolver = 'https://idp.example.edu/artifact';

/** An artifact as an identity provider makes it. */
export function artifactOf({ entityId = idp.entityId, index = 0, type = 4, handle = 'h'.repeat(20) } = {}): string {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(index, 2);
  return Buffer.concat([head, createHash('sha1').update(entityId).digest(), Buffer.from(handle)]).toString('base64');
}

/** How an ArtifactResponse is made; each piece may be wrong on purpose. */
export interface ArtifactRecipe {
  /** What it carries: a signed Response unless said. */
  carried?: string;
  /** The ArtifactResponse's own signature: made by the provider unless said. */
  sign?: SignOptions | false;
  issuer?: string;
  attributes?: (id: string) => string;
  status?: string;
  extensions?: string;
  /** Changes the ArtifactResponse after it was signed. */
  signed?: (xml: string) => string;
  /** Changes the whole envelope. */
  envelope?: (xml: string) => string;
}

const success = '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>';

/** The envelope that answers the question with that ID. */
export function buildArtifactResponse(question: string, recipe: ArtifactRecipe = {}): string {
  const attributes =
    recipe.attributes?.(question) ?? `ID="_ar1" Version="2.0" IssueInstant="${at(-1)}" InResponseTo="${question}"`;
  const plain =
    `<samlp:ArtifactResponse xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" ${attributes}>` +
    `<saml:Issuer>${recipe.issuer ?? idp.entityId}</saml:Issuer>${recipe.extensions ?? ''}${recipe.status ?? success}` +
    `${recipe.carried ?? String(buildResponse())}</samlp:ArtifactResponse>`;
  const signed = recipe.sign === false ? plain : signElement(plain, '_ar1', recipe.sign ?? {});
  const envelope = `<soap:Envelope xmlns:soap="${ns.soap}"><soap:Body>${changed(recipe.signed, signed)}</soap:Body></soap:Envelope>`;
  return changed(recipe.envelope, envelope);
}

/** A question that reached the provider. */
export interface Question {
  url: string;
  body: string;
  headers: Headers;
}

const idOf = (body: string): string => /<samlp:ArtifactResolve[^>]* ID="([^"]*)"/.exec(body)?.[1] ?? '';

/** A provider's resolution service in the place of `fetch`. */
export function resolverOf(recipe: ArtifactRecipe = {}, asked: Question[] = []): typeof globalThis.fetch {
  return async (url, init) => {
    const body = String(init?.body);
    asked.push({ url: String(url), body, headers: new Headers(init?.headers) });
    return new Response(buildArtifactResponse(idOf(body), recipe), { headers: { 'content-type': 'text/xml' } });
  };
}

/** The provider with a resolution service. */
export const artifactIdp = (policy: Partial<IdentityProviderPolicy> = {}, location = resolver): IdentityProvider => ({
  ...knownIdp(policy),
  artifactResolution: [
    { index: 0, location },
    { index: 3, location: `${location}/3` },
  ],
});

export const createArtifactProvider = (
  fetch: typeof globalThis.fetch,
  options: Partial<ServiceProviderOptions> = {},
): ServiceProvider =>
  createServiceProvider({ identityProviders: [artifactIdp(), otherIdp()], artifactResolution: {}, fetch, ...options });

/** The address that the browser comes back to. */
export const withArtifact = (artifact = artifactOf(), relayState = pending.relayState): string =>
  `/saml/acs?SAMLart=${encodeURIComponent(artifact)}&RelayState=${relayState}`;

/** Hands an artifact over: the identity, or the code of the refusal. */
export async function finish(
  provider: ServiceProvider,
  request: Parameters<ServiceProvider['finishSignIn']>[0] = withArtifact(),
  kept: PendingSignIn | undefined = pending,
): Promise<SamlIdentity | SamlErrorCode> {
  try {
    return await provider.finishSignIn(request, kept);
  } catch (error) {
    return codeOf(error);
  }
}
