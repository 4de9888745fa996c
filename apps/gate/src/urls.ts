/** Every path that the gate answers itself. `{id}` is a provider. */
export const urls = {
  root: '/gate',
  signIn: '/gate/sign-in',
  signOut: '/gate/sign-out',
  signedOut: '/gate/signed-out',
  resume: '/gate/resume',
  me: '/gate/me',
  check: '/gate/check',
  forward: '/gate/forward',
  healthz: '/gate/healthz',
  readyz: '/gate/readyz',
  metrics: '/gate/metrics',
  jwks: '/gate/jwks.json',
  styles: '/gate/assets/gate.css',
  /** The bridge: the issuer for the applications behind it. */
  bridge: '/gate/oidc',
  bridgeAuthorization: '/gate/oidc/auth',
  bridgeEndSession: '/gate/oidc/session/end',
  bridgeInteraction: (uid: string) => `/gate/oidc/interaction/${uid}`,
  callback: (id: string) => `/gate/${id}/callback`,
  acs: (id: string) => `/gate/${id}/acs`,
  complete: (id: string) => `/gate/${id}/complete`,
  slo: (id: string) => `/gate/${id}/slo`,
  metadata: (id: string) => `/gate/${id}/metadata`,
  backChannelLogout: (id: string) => `/gate/${id}/backchannel-logout`,
  frontChannelLogout: (id: string) => `/gate/${id}/frontchannel-logout`,
} as const;

/** How a sign-in is asked for: `fresh` must prove who the person is once more, `another` lets them choose another account. */
export interface Asking {
  readonly fresh?: boolean;
  readonly another?: boolean;
}

/** The address of the sign-in page; `returnTo` is where the person wants to go. */
export function signInUrl(returnTo: string | undefined, provider?: string, more: Asking = {}): string {
  const query = new URLSearchParams();
  if (more.fresh === true) query.set('fresh', '1');
  if (more.another === true) query.set('another', '1');
  if (provider !== undefined) query.set('provider', provider);
  if (returnTo !== undefined && returnTo !== '/') query.set('returnTo', returnTo);
  const text = query.toString();
  return text === '' ? urls.signIn : `${urls.signIn}?${text}`;
}

/** The address that hands out a new session after a form from another site; `handle` is the name under which it waits. */
export function completeUrl(id: string, handle: string): string {
  return `${urls.complete(id)}?${new URLSearchParams({ 'sign-in': handle })}`;
}

/** The page that sends a kept form; `from` is the page where it was filled in. */
export function resumeUrl(form: string, from: string | undefined): string {
  return `${urls.resume}?${new URLSearchParams({ form, ...(from === undefined ? {} : { page: from }) })}`;
}

/** Splits `/gate/{id}/{door}`; undefined for any other path. */
export function readProviderPath(path: string): { id: string; door: string } | undefined {
  const found = /^\/gate\/([a-z][a-z0-9-]{0,31})\/([a-z-]+)$/.exec(path);
  return found ? { id: found[1] as string, door: found[2] as string } : undefined;
}
