import { SamlError } from '../../src/errors.ts';
import { type SamlIdentity, verifyResponse } from '../../src/sign-in/response.ts';
import { readConfiguration } from '../../src/sp/configuration.ts';
import { MemoryReplayStore } from '../../src/sp/replay.ts';
import { testKey } from './keys.ts';
import { createRandom, mutate } from './mutations.ts';
import { buildResponse } from './response.ts';
import { knownIdp, now, pending, sp } from './world.ts';

const configuration = readConfiguration({
  entityId: sp.entityId,
  assertionConsumerServiceUrl: sp.acs,
  decryptionKeys: [{ privateKey: testKey('sp').privateKey, certificate: testKey('sp').certificate }],
  identityProviders: [knownIdp()],
  replayStore: new MemoryReplayStore(),
  now: () => now,
});

const verify = (xml: string): Promise<SamlIdentity> =>
  verifyResponse(Buffer.from(xml), { configuration, pending, clientAddress: undefined, relayState: pending.relayState });

/** What must not change: everything that was signed about the person. */
const saidOf = ({ assertionXml: _, ...identity }: SamlIdentity): string => JSON.stringify(identity);

/** What became of many mutants. */
export interface FuzzResult {
  tried: number;
  /** Accepted with the identity that was signed: the mutation touched nothing that counts. */
  harmless: number;
  refusals: Record<string, number>;
  /** Accepted with another identity: must stay empty. */
  forged: string[];
  /** Anything thrown that is no SamlError: must stay empty. */
  crashed: string[];
}

/** Tries mutants of validly signed Responses: Response signed, assertion signed, both, and encrypted. */
export async function fuzz(count: number, seed: number): Promise<FuzzResult> {
  const random = createRandom(seed);
  const originals = (['both', 'assertion', 'response'] as const).map(sign => String(buildResponse({ sign })));
  originals.push(String(buildResponse({ sign: 'both', encrypt: {} })));
  const truths = await Promise.all(originals.map(async xml => saidOf(await verify(xml))));
  const result: FuzzResult = { tried: 0, harmless: 0, refusals: {}, forged: [], crashed: [] };
  for (; result.tried < count; result.tried += 1) {
    const which = random(originals.length);
    const mutant = mutate(originals[which] ?? '', random);
    try {
      if (saidOf(await verify(mutant)) === truths[which]) result.harmless += 1;
      else result.forged.push(mutant);
    } catch (error) {
      if (error instanceof SamlError) result.refusals[error.code] = (result.refusals[error.code] ?? 0) + 1;
      else result.crashed.push(`${error}\n${mutant}`);
    }
  }
  return result;
}
