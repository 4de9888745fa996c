import { GateError, requireMethod } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { readProviderPath, urls } from '../urls.ts';
import { styles } from '../views/styles.ts';
import { answerBridge } from './bridge.ts';
import { assertionConsumer, callback, complete, resume, samlMetadata } from './callback.ts';
import type { Context } from './context.ts';
import { healthz, jwks, me, metrics, readyz } from './facts.ts';
import { check, forward } from './forward-auth.ts';
import { backChannelLogout, frontChannelLogout, singleLogout } from './logout-from-provider.ts';
import { returnFromRemoved } from './removed-provider.ts';
import { signIn } from './sign-in.ts';
import { signedOut, signOut } from './sign-out.ts';

type Route = readonly [methods: readonly string[], answer: (context: Context) => Answer | Promise<Answer>];

const get = ['GET', 'HEAD'];
const both = ['GET', 'HEAD', 'POST'];

const fixed: Readonly<Record<string, Route>> = {
  [urls.check]: [get, check],
  // Traefik and Caddy ask by GET, whatever the person's method is.
  [urls.forward]: [get, forward],
  [urls.signIn]: [both, signIn],
  [urls.signOut]: [both, signOut],
  [urls.signedOut]: [get, signedOut],
  [urls.resume]: [get, resume],
  [urls.me]: [get, me],
  [urls.healthz]: [get, healthz],
  [urls.readyz]: [get, readyz],
  [urls.metrics]: [get, metrics],
  [urls.jwks]: [get, jwks],
  [urls.styles]: [
    get,
    () => ({
      status: 200,
      headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=3600' },
      body: styles,
    }),
  ],
};

type Door = readonly [methods: readonly string[], answer: (context: Context, id: string) => Answer | Promise<Answer>];

const doors: Readonly<Record<string, Door>> = {
  callback: [['GET', 'POST'], callback],
  acs: [['POST'], assertionConsumer],
  // Not HEAD, which would take what works once.
  complete: [['GET'], complete],
  slo: [['GET', 'POST'], singleLogout],
  metadata: [get, samlMetadata],
  'backchannel-logout': [['POST'], backChannelLogout],
  'frontchannel-logout': [['GET'], frontChannelLogout],
};

/** Everything under /gate is ours: an address there that is not a page of ours does not go to the upstream either. */
export async function answerOwn(context: Context): Promise<Answer | undefined> {
  const { path } = context;
  if (path.startsWith(`${urls.bridge}/`)) return answerBridge(context);
  const method = context.request.method ?? '';
  const route = Object.hasOwn(fixed, path) ? fixed[path] : undefined;
  if (route !== undefined) {
    requireMethod(method, route[0]);
    return route[1](context);
  }
  const named = readProviderPath(path);
  const door = named && Object.hasOwn(doors, named.door) ? doors[named.door] : undefined;
  if (named === undefined || door === undefined) throw new GateError('NOT_FOUND');
  if (!context.state.doors.has(named.id)) {
    if (!door[0].includes(method)) throw new GateError('NOT_FOUND');
    return returnFromRemoved(context, named.id, named.door);
  }
  requireMethod(method, door[0]);
  return door[1](context, named.id);
}
