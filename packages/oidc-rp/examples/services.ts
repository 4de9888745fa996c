import { type RelyingParty, readStepUpChallenge, type SignIn, type SignInRequest } from '../src/index.ts';

/** Calls an API as the person; answers with what to sign in for when it wants a stronger or a fresher sign-in. */
export async function callApi(signIn: SignIn, api: URL): Promise<Response | SignInRequest> {
  const answer = await fetch(api, { headers: { authorization: `Bearer ${signIn.tokens.accessToken}` } });
  const stepUp = readStepUpChallenge(answer.headers.get('www-authenticate'));
  return stepUp === undefined ? answer : { ...stepUp, returnTo: '/' };
}

/** A token for a job of this application itself. */
export async function jobToken(relyingParty: RelyingParty): Promise<string> {
  const { accessToken } = await relyingParty.requestClientCredentials({
    scopes: ['reports'],
    resource: 'https://api.example.org/',
  });
  return accessToken;
}

/** A sign-in on a device without a browser: show address and code, then wait. */
export async function signInOnDevice(
  relyingParty: RelyingParty,
  show: (text: string) => void,
  signal: AbortSignal,
): Promise<SignIn> {
  const { verificationUri, userCode, pending } = await relyingParty.startDeviceSignIn();
  show(`Open ${verificationUri} and enter ${userCode}`);
  return relyingParty.finishDeviceSignIn(pending, { signal });
}
