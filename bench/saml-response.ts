import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { testKey } from '../packages/saml-sp/test/support/keys.ts';
import { buildResponse, type ResponseRecipe } from '../packages/saml-sp/test/support/response.ts';
import { createServiceProvider, now, pending, postResponse, sp } from '../packages/saml-sp/test/support/world.ts';

// Responses verified per second of processor time against node-saml, alternating in one process on the same bytes. Ours does
// more: schema, strict profile, two canonicalizers that must agree, every condition, one-time use. Floors: 1.5 times node-saml
// when accepting, 5.0 when refusing.
const seconds = Number(process.argv[2] ?? 2);
const acceptFloor = 1.5;
const refuseFloor = 5;

/** The fixtures use a fixed day and node-saml today's, so the instants are moved before anything is signed. */
const moved = (xml: string): string =>
  xml.replace(/2026-11-20T\d\d:\d\d:\d\dZ/g, text =>
    new Date(Date.now() + Date.parse(text) + 240_000 - now.getTime()).toISOString().replace(/\.\d+Z/, 'Z'),
  );
const early = (xml: string): string =>
  xml.replace(
    /(NotBefore|AuthnInstant|IssueInstant)="([^"]*)"/g,
    (_, name, text) => `${name}="${new Date(Date.parse(text) - 300_000).toISOString()}"`,
  );
const attribute = (at: number): string =>
  `<saml:Attribute Name="urn:oid:1.3.6.1.4.1.5923.1.1.1.${at}"><saml:AttributeValue>member-${at}@example.edu</saml:AttributeValue></saml:Attribute>`;
const padding = Array.from({ length: 6 }, (_, at) => attribute(at)).join('');

const recipe: ResponseRecipe = {
  sign: 'assertion',
  assertion: xml => early(moved(xml)).replace('</saml:AttributeStatement>', `${padding}</saml:AttributeStatement>`),
  response: xml => {
    const at = xml.indexOf('<saml:Assertion');
    return early(moved(xml.slice(0, at))) + xml.slice(at);
  },
};

const honest = String(buildResponse(recipe));
const forged = honest.replace('>alice<', '>admin<');
const both = String(buildResponse({ ...recipe, sign: 'both' }));
const attacked = String(buildResponse({ ...recipe, signAssertion: { key: 'attacker' } }));

const nodeSaml = new SAML({
  callbackUrl: sp.acs,
  issuer: sp.entityId,
  audience: sp.entityId,
  entryPoint: 'https://idp.example.edu/sso',
  idpCert: testKey('idp').certificate,
  wantAuthnResponseSigned: false,
  validateInResponseTo: ValidateInResponseTo.never,
});
const underWay = {
  ...pending,
  startedAt: Math.floor(Date.now() / 1000) - 60,
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
};

/** A Response as each contestant gets it from its framework: the form as text, or its fields. */
interface Posted {
  form: ReturnType<typeof postResponse>;
  fields: { SAMLResponse: string };
}

async function theirs({ fields }: Posted): Promise<boolean> {
  try {
    return (await nodeSaml.validatePostResponseAsync(fields)).profile !== null;
  } catch {
    return false;
  }
}

const provider = createServiceProvider({ now: () => new Date(), replayStore: { claim: () => true, release: () => {} } });

async function ours({ form }: Posted): Promise<boolean> {
  try {
    return (await provider.finishSignIn(form, underWay)).nameId !== undefined;
  } catch {
    return false;
  }
}

/** Seconds of processor time that this process has used, so that other work on the machine does not count. */
const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Calls per second of processor time, the two contestants alternating in turns of twenty. */
async function compare(posted: Posted, expected: boolean): Promise<[number, number]> {
  const contestants = [ours, theirs];
  const counts = [0, 0];
  const spent = [0, 0];
  while (spent[1]! < seconds) {
    for (const [who, verify] of contestants.entries()) {
      const began = processorSeconds();
      for (let calls = 0; calls < 20; calls += 1) {
        if ((await verify(posted)) !== expected) throw new Error(`${verify.name} gives the wrong verdict`);
      }
      counts[who]! += 20;
      spent[who]! += processorSeconds() - began;
    }
  }
  return [counts[0]! / spent[0]!, counts[1]! / spent[1]!];
}

const postedOf = (xml: string): Posted => ({
  form: postResponse(xml),
  fields: { SAMLResponse: Buffer.from(xml).toString('base64') },
});

async function report(what: string, xml: string, expected: boolean, floor: number): Promise<void> {
  const [mine, other] = await compare(postedOf(xml), expected);
  const ratio = mine / other;
  const verdict = ratio < floor ? `BELOW ${floor}` : 'ok';
  console.log(
    `${what}, ${(xml.length / 1000).toFixed(1)} kB: ours ${mine.toFixed(0)}/s, node-saml ${other.toFixed(0)}/s (${ratio.toFixed(2)} times): ${verdict}`,
  );
  if (ratio < floor) process.exitCode = 1;
}

await Promise.all([ours(postedOf(honest)), theirs(postedOf(honest))]);
await report('accepting a signed Response', honest, true, acceptFloor);
await report('accepting one whose Response and assertion are signed', both, true, acceptFloor);
await report('refusing one with another name in it', forged, false, refuseFloor);
await report('refusing one signed by an attacker', attacked, false, refuseFloor);
