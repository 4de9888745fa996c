import { openStore } from '@octavo/sign-in-store';
import { readEmail } from '../../src/model/email.ts';
import type { Identity } from '../../src/model/identity.ts';
import { Sealer } from '../../src/sessions/seal.ts';
import { type SessionSettings, Sessions } from '../../src/sessions/sessions.ts';
import { type TestGate, testKey } from './gate.ts';

export const ada: Identity = {
  provider: 'corp',
  issuer: 'https://op.example',
  subject: 'ada',
  email: readEmail('ada@example.org'),
  isEmailTrusted: true,
  name: 'Ada',
  groups: ['staff'],
  claims: {},
};

/** A session in the gate's own store, as a sign-in would leave it. @returns the Cookie header */
export async function sessionCookie(
  gate: Pick<TestGate, 'store'> & { readonly config: { readonly session: SessionSettings } },
  more: Partial<Identity> = {},
  record: unknown = {},
  refreshAt?: number,
  providerSession?: string,
): Promise<string> {
  const store = await openStore(gate.store);
  const { session } = gate.config;
  const sessions = new Sessions(store, new Sealer([testKey]), session, () => new Date());
  const created = await sessions.create(
    {
      identity: { ...ada, ...more },
      subjectKey: more.subject ?? ada.subject,
      providerSession,
      signedInAt: new Date(),
      authenticatedAt: new Date(),
      endsAt: undefined,
      refreshAt,
      record,
    },
    undefined,
  );
  await store.close();
  return `gate=${created?.cookie}`;
}
