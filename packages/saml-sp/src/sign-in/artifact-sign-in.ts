import { getSamlParameters, type Parameter, readParameters, readRelayState } from '../bindings/http-message.ts';
import type { HttpMessage } from '../bindings/incoming-request.ts';
import { readForm } from '../bindings/post-binding.ts';
import { SamlError } from '../errors.ts';
import { requireIdentityProvider } from '../idp/identity-provider.ts';
import { digest } from '../keys/algorithms.ts';
import { type Configuration, claimOnce, dateOf, releaseClaim } from '../sp/configuration.ts';
import { type Artifact, readArtifact, requireArtifactEndpoint } from './artifact.ts';
import { type ResolvedArtifact, resolveArtifact } from './artifact-resolution.ts';
import type { PendingSignIn } from './pending.ts';
import { requireUnderWay } from './response.ts';

/** An artifact that a browser delivered. */
export interface ArrivedArtifact {
  artifact: Artifact;
  relayState: string | undefined;
}

/** Reads what came to the assertion consumer service: the fields of a form, or the query of an artifact. A Response never comes by GET. */
export function readConsumed(http: HttpMessage): Map<string, Parameter> {
  if (http.method !== 'GET') return readForm(http);
  const parameters = http.query.length > 16_384 ? new Map<string, Parameter>() : getSamlParameters(readParameters(http.query));
  if (!parameters.has('SAMLart')) throw new SamlError('SAML_HTTP_METHOD', 'a Response must come by POST');
  return parameters;
}

/** @throws SamlError `SAML_ARTIFACT` and those of step "binding" */
export function readArrivedArtifact(configuration: Configuration, parameters: ReadonlyMap<string, Parameter>): ArrivedArtifact {
  if (configuration.artifactResolution === undefined)
    throw new SamlError('SAML_ARTIFACT', 'this service provider accepts no artifacts: options.artifactResolution is not set');
  const mixed = ['SAMLRequest', 'SAMLResponse', 'SigAlg', 'Signature', 'SAMLEncoding'].find(name => parameters.has(name));
  if (mixed !== undefined) throw new SamlError('SAML_PARAMETER', `SAMLart came with ${mixed}`);
  return {
    artifact: readArtifact(parameters.get('SAMLart')?.value ?? ''),
    relayState: readRelayState(parameters.get('RelayState')?.value),
  };
}

/**
 * Fetches the Response for the sign-in that this browser has under way. Sign-in and artifact are used up before the provider is
 * asked, so one sign-in causes one request, however many artifacts are sent. An outage gives both back.
 */
export async function fetchResponse(
  configuration: Configuration,
  { artifact }: ArrivedArtifact,
  pending: PendingSignIn | undefined,
): Promise<ResolvedArtifact> {
  // An artifact names its issuer only by a hash: without a sign-in under way nothing is fetched, even where unsolicited ones are allowed.
  if (pending === undefined) throw new SamlError('SAML_UNSOLICITED', 'no sign-in was started here');
  const now = configuration.now();
  requireUnderWay(pending, now);
  const provider = await requireIdentityProvider(configuration.identityProviders, pending.identityProvider, now);
  const endpoint = requireArtifactEndpoint(provider, artifact);
  const claimed: string[] = [];
  try {
    for (const key of [`artifact-for:${pending.requestId}`, `artifact:${digest('sha256', artifact.text).toString('hex')}`]) {
      await claimOnce(configuration, key, dateOf(pending.expiresAt));
      claimed.push(key);
    }
    return await resolveArtifact(configuration, provider, endpoint, artifact);
  } catch (error) {
    if (error instanceof SamlError && error.status === 503) for (const key of claimed) await releaseClaim(configuration, key);
    throw error;
  }
}
