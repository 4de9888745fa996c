import { createHash } from 'node:crypto';
import { type Answer, formTargets, page, pagePolicy } from '../http/answer.ts';
import type { Sealer } from '../sessions/seal.ts';
import type { Send } from '../sign-in/door.ts';
import { urls } from '../urls.ts';
import { nextScript, renderFrames } from '../views/signing-out.tsx';
import { browserSecret, browserSecrets, type Context, siteName } from './context.ts';

/** The steps after a sign-out. They pass through the browser sealed, so that nobody can choose where a person is sent. */
export interface Afterwards {
  /** Where an application behind the bridge wants the person to return to; checked against its registration. */
  readonly url?: string;
  readonly application?: string;
  /** Names of applications that did not confirm. */
  readonly silent: readonly string[];
}

export const nothingAfterwards: Afterwards = { silent: [] };
const purpose = 'after sign-out';

export function sealAfterwards({ parts }: Context, after: Afterwards): string {
  return parts.pending.sealer.seal(JSON.stringify(after), purpose);
}

export function openAfterwards({ parts }: Context, sealed: string | undefined): Afterwards {
  const text = sealed === undefined ? undefined : parts.pending.sealer.open(sealed, purpose);
  return text === undefined ? nothingAfterwards : (JSON.parse(text) as Afterwards);
}

/** How a sign-out ended: here only, at the provider too, here without confirmation from the provider, or before we could ask it. */
export type Outcome = 'here' | 'complete' | 'half-done' | 'not-asked';

interface Result {
  readonly outcome: Outcome;
  readonly provider?: string;
  /** Whether the provider sent the browser back from this sign-out. */
  readonly isReturn?: boolean;
  /** Whether it belongs to no sign-out of this browser, which may have a session. */
  readonly isStray?: boolean;
}

/** Seals a result for this browser alone: nobody else may write, or send to another person, a page that says what a provider confirmed. */
export function sealResult(sealer: Sealer, browser: string, result: Result): string {
  return sealer.seal(JSON.stringify(result), resultPurpose(browser));
}

export function openResult(context: Context, sealed: string | undefined): Result {
  for (const browser of sealed === undefined ? [] : browserSecrets(context).slice(0, 3)) {
    const text = context.parts.pending.sealer.open(sealed as string, resultPurpose(browser));
    if (text !== undefined) return JSON.parse(text) as Result;
  }
  return { outcome: 'here', isStray: true };
}

/** The page that says how a sign-out ended. `after` is sealed. */
export function resultUrl(context: Context, result: Result, after: string | undefined): string {
  const sealed = sealResult(context.parts.pending.sealer, browserSecret(context), result);
  return `${urls.signedOut}?${new URLSearchParams({ result: sealed, ...(after === undefined ? {} : { after }) })}`;
}

function resultPurpose(browser: string): string {
  return `result of a sign-out in ${browser}`;
}

/** Tells applications through frames, then goes on: automatically where scripts run, with a button where they do not. */
export function framesPage(context: Context, frames: readonly string[], next: Send): Answer {
  const script = `'sha256-${createHash('sha256').update(nextScript).digest('base64')}'`;
  const formAction = next.kind === 'post' ? formTargets(next.url) : [];
  return page(200, renderFrames({ site: siteName(context.state), frames, next }), {
    'content-security-policy': `${pagePolicy({ formAction, script })}; frame-src ${originsOf(frames)}`,
  });
}

/** For a policy that lets a page load these frames. */
export function originsOf(frames: readonly string[]): string {
  return [...new Set(frames.map(url => new URL(url).origin))].join(' ');
}
