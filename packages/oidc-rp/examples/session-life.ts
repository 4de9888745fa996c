import { endsSession, type PendingSignOut, type RelyingParty, type SignIn, withUserInfo } from '../src/index.ts';

/** Renews the tokens of a session. Answers undefined when the session is over; while the provider is out of reach it goes on. */
export async function renew(relyingParty: RelyingParty, signIn: SignIn): Promise<SignIn | undefined> {
  try {
    return await relyingParty.refresh(signIn); // store it in place of the old one
  } catch (error) {
    return endsSession(error) ? undefined : signIn;
  }
}

/** All that the provider says about the person. */
export async function describePerson(relyingParty: RelyingParty, signIn: SignIn) {
  return withUserInfo(signIn.claims, await relyingParty.fetchUserInfo(signIn));
}

/** Ends the session here first, then at the provider: send the browser to the address that comes back. */
export async function signOut(
  relyingParty: RelyingParty,
  signIn: SignIn,
  endSession: () => Promise<void>,
): Promise<[URL, PendingSignOut]> {
  await endSession();
  const { refreshToken, signedIdToken } = signIn.tokens;
  if (refreshToken !== undefined) await relyingParty.revoke(refreshToken, 'refresh_token').catch(() => undefined);
  const { url, pending } = await relyingParty.startSignOut({ idTokenHint: signedIdToken, returnTo: '/signed-out' });
  return [url, pending];
}
