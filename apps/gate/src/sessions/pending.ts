import { createHash, randomBytes } from 'node:crypto';
import type { SignInStore } from '@octavo/sign-in-store';
import { limits } from '../limits.ts';
import type { Sealer } from './seal.ts';

/** A POST that is kept while its sender signs in. */
export interface KeptForm {
  readonly path: string;
  readonly contentType: string;
  /** Base64: the body may contain files. */
  readonly body: string;
}

/** The state that is kept while a person is at a provider. */
export interface PendingRecord {
  readonly kind: 'sign-in' | 'sign-out' | 'form' | 'ecp' | 'created';
  readonly provider?: string;
  /** Data of the package's own. */
  readonly pending?: unknown;
  readonly returnTo?: string;
  /** The session that the browser had, which the new one replaces. A provider's POST comes without its cookie. */
  readonly sessionId?: string;
  /** A new session that waits for its browser. */
  readonly created?: { readonly id: string; readonly cookie: string };
  /** The steps after a sign-out, sealed. */
  readonly afterwards?: string;
  readonly form?: KeptForm;
  /** When it ends, in milliseconds since 1970; 15 minutes from now if not given. */
  readonly until?: number;
}

/** Sign-ins, sign-outs and forms in progress: sealed, bound to a browser. All but forms are good for one use. */
export class PendingRecords {
  readonly #store: SignInStore;
  readonly #now: () => Date;
  sealer: Sealer;

  constructor(store: SignInStore, sealer: Sealer, now: () => Date) {
    this.#store = store;
    this.sealer = sealer;
    this.#now = now;
  }

  async keep(handle: string, browser: string, source: string, record: PendingRecord): Promise<void> {
    const until = record.until ?? this.#now().getTime() + limits.pendingSeconds * 1000;
    await this.#store.keepPending({
      handle,
      browser,
      source,
      value: this.sealer.seal(JSON.stringify({ ...record, until }), `${record.kind} under way`),
      expiresAt: new Date(until),
    });
  }

  /**
   * A kept form, which stays for reloads of its page. `isAgain`: it has been on a page that sends it, so the application may have
   * it already. Of reloads at the same moment, one is the first.
   */
  async showForm(
    handle: string,
    browsers: readonly string[],
  ): Promise<{ readonly form: KeptForm; readonly isAgain: boolean } | undefined> {
    const record = await this.#read('form', handle, browsers, browser => this.#store.findPending(handle, browser));
    if (record?.form === undefined) return undefined;
    const key = `kept form ${createHash('sha256').update(handle).digest('base64url')}`;
    const until = new Date(record.until ?? this.#now().getTime() + limits.pendingSeconds * 1000);
    return { form: record.form, isAgain: !(await this.#store.replay.claim(key, until)) };
  }

  /** @param onOtherKey called for one that a process with other keys has kept */
  async take(
    kind: PendingRecord['kind'],
    handle: string | undefined,
    browsers: readonly string[],
    onOtherKey: () => void = () => {},
  ): Promise<PendingRecord | undefined> {
    if (handle === undefined) return undefined;
    return this.#read(kind, handle, browsers, browser => this.#store.takePending(handle, browser), onOtherKey);
  }

  async #read(
    kind: PendingRecord['kind'],
    handle: string,
    browsers: readonly string[],
    ask: (browser: string) => Promise<string | undefined>,
    onOtherKey: () => void = () => {},
  ): Promise<PendingRecord | undefined> {
    if (handle.length < 16) return undefined;
    for (const browser of browsers.slice(0, 3)) {
      const value = await ask(browser);
      if (value === undefined) continue;
      const text = this.sealer.open(value, `${kind} under way`);
      if (text === undefined && this.sealer.isOfOtherKey(value)) onOtherKey();
      return text === undefined ? undefined : (JSON.parse(text) as PendingRecord);
    }
    return undefined;
  }
}

export function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** A browser's own secret has this shape; anything else is replaced. */
export function isSecret(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{32}$/.test(text);
}
