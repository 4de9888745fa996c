import { createHash } from 'node:crypto';
import { type Answer, page, pagePolicy } from '../http/answer.ts';
import type { Send } from '../sign-in/door.ts';
import { nextScript, renderFrames } from '../views/signing-out.tsx';
import { type Context, siteName } from './context.ts';

/** What follows a sign-out. It goes through the browser sealed, so that nobody can choose where a person is sent. */
export interface Afterwards {
  /** Where an application behind the bridge wants the person back; checked against its registration. */
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

/** Tells applications through frames, then goes on: by itself where scripts run, by a button where they do not. */
export function framesPage(context: Context, frames: readonly string[], next: Send): Answer {
  const script = `'sha256-${createHash('sha256').update(nextScript).digest('base64')}'`;
  const formAction = next.kind === 'post' ? [new URL(next.url).origin] : [];
  const frameSrc = [...new Set(frames.map(url => new URL(url).origin))].join(' ');
  return page(200, renderFrames({ site: siteName(context.state), frames, next }), {
    'content-security-policy': `${pagePolicy({ formAction, script })}; frame-src ${frameSrc}`,
  });
}
