import { SamlError } from '../errors.ts';
import type { IdentityProvider, IndexedEndpoint } from '../idp/identity-provider.ts';
import { digest } from '../keys/algorithms.ts';

/** A SAML 2.0 artifact, type 0x0004 (saml-bindings-2.0 3.6.4.2): a reference to a message that its issuer keeps. */
export interface Artifact {
  /** As it was received. */
  text: string;
  /** Which of the issuer's artifact resolution services keeps the message. */
  endpointIndex: number;
  /** SHA-1 of the issuer's entity ID: a name, not a proof. */
  sourceId: Buffer;
}

const typeCode = 0x0004;
/** Two bytes of type, two of index, 20 of SourceID, 20 of MessageHandle: 60 characters, the last one padding. */
const shape = /^[A-Za-z0-9+/]{58}[AEIMQUYcgkosw048]=$/;

const refuse = (message: string): never => {
  throw new SamlError('SAML_ARTIFACT', message);
};

/** Reads an artifact. Its base64 must be canonical, so that each artifact has only one spelling. */
export function readArtifact(text: string): Artifact {
  if (!shape.test(text)) return refuse('the artifact is not 44 bytes in base64');
  const octets = Buffer.from(text, 'base64');
  if (octets.readUInt16BE(0) !== typeCode) return refuse(`the artifact is of type ${octets.readUInt16BE(0)}, not 4`);
  return { text, endpointIndex: octets.readUInt16BE(2), sourceId: octets.subarray(4, 24) };
}

/** Where to resolve an artifact: only at the provider where the sign-in was started. */
export function requireArtifactEndpoint(provider: IdentityProvider, artifact: Artifact): IndexedEndpoint {
  if (!digest('sha1', provider.entityId).equals(artifact.sourceId))
    return refuse('the artifact was made by another identity provider');
  const endpoint = provider.artifactResolution?.find(one => one.index === artifact.endpointIndex);
  return endpoint ?? refuse(`${provider.entityId} publishes no artifact resolution service ${artifact.endpointIndex}`);
}
