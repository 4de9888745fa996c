import { OidcError, RelyingParty } from '../../src/index.ts';

const { issuer = '', clientId = '' } = document.documentElement.dataset;
const relyingParty = new RelyingParty({
  issuer,
  clientId,
  clientAuthentication: { method: 'none' },
  redirectUri: `${location.origin}/callback`,
  scopes: ['openid', 'email'],
  clockToleranceSeconds: 2,
  dangerouslyAllowLoopbackHttp: location.hostname === '127.0.0.1',
});

document.querySelector('#sign-in')?.addEventListener('click', async () => {
  const { url, pending } = await relyingParty.startSignIn();
  // This tab's alone, and gone with it. The tokens never touch any storage.
  sessionStorage.setItem('pending', JSON.stringify(pending));
  location.assign(url);
});

if (location.pathname === '/callback') await finish();

async function finish(): Promise<void> {
  const address = location.href;
  const pending = JSON.parse(sessionStorage.getItem('pending') ?? 'null') ?? undefined;
  sessionStorage.removeItem('pending');
  // The code is used up in a moment; the address bar and the history need not keep it.
  history.replaceState(null, '', '/');
  try {
    const signIn = await relyingParty.finishSignIn(address, pending);
    const { email } = await relyingParty.fetchUserInfo(signIn);
    show(`${signIn.identity.subject} at ${signIn.identity.issuer}, ${email}`);
  } catch (error) {
    show(error instanceof OidcError ? error.code : String(error));
  }
}

function show(text: string): void {
  document.querySelector('#who')!.textContent = text;
}
