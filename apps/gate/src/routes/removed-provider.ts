import { GateError } from '../errors.ts';
import { type Answer, redirect } from '../http/answer.ts';
import { parameterOf, readForm } from '../http/read-form.ts';
import { limits } from '../limits.ts';
import type { PendingRecord } from '../sessions/pending.ts';
import { resultUrl } from './afterwards.ts';
import { browserSecrets, type Context } from './context.ts';
import { noticePage } from './sign-in.ts';
import { findWay } from './way-back.ts';

/** The subject of a browser that comes to these addresses, and the parameter that names it. */
const returns: Readonly<Record<string, readonly [kind: PendingRecord['kind'], parameter: string]>> = {
  callback: ['sign-in', 'state'],
  acs: ['sign-in', 'RelayState'],
  complete: ['created', 'sign-in'],
  slo: ['sign-out', 'RelayState'],
};

/**
 * A browser comes back from a provider that was removed meanwhile, or that speaks the other protocol now. Only one that we sent there hears
 * of it: to everybody else there is nothing at such an address.
 */
export async function returnFromRemoved(context: Context, id: string, door: string): Promise<Answer> {
  const [kind, parameter] = Object.hasOwn(returns, door) ? (returns[door] as (typeof returns)[string]) : [];
  if (kind === undefined || parameter === undefined) throw new GateError('NOT_FOUND');
  const { parts, peer } = context;
  const handle = parameterOf(await readForm(context, limits.maxFormBytes), parameter);
  const record = await parts.pending.take(kind, handle, browserSecrets(context, handle));
  const way = kind === 'sign-in' ? findWay(context, handle) : undefined;
  if ((record?.provider ?? way?.provider) !== id) throw new GateError('NOT_FOUND');
  if (kind === 'sign-out')
    return redirect(resultUrl(context, { outcome: 'here', provider: id, isReturn: true }, record?.afterwards));
  parts.metrics.signIns.inc({ provider: id, outcome: 'stale' });
  parts.log.audit('sign-in-failed', { provider: id, reason: 'PROVIDER_REMOVED', client: peer.client });
  return noticePage(context, 'removed', record?.returnTo ?? way?.returnTo);
}
