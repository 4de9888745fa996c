import { type LoopbackOptions, signInWithLoopback } from '../src/native.ts';

export async function signIn(more: Partial<LoopbackOptions> = {}) {
  const options = { issuer: 'https://op.example.org', clientId: 'desktop', path: '/callback' };
  const { signIn, relyingParty } = await signInWithLoopback({ ...options, ...more });
  return { person: signIn.identity, relyingParty };
}
