import type { Credentials, Paper, Visibility, Who } from './world.ts';

/** Whom or what a call concerns is told by numbers, which are taken modulo what there is when it is made. */
export interface Settings {
  title?: string;
  visibility?: Visibility;
  /** Milliseconds from now; null: never. */
  expires?: number | null;
  expiresIn?: '1h' | '1d' | '7d';
  password?: string | null;
  readOnly?: boolean;
  burnAfterRead?: boolean;
  openEditing?: boolean;
  embedding?: boolean;
  comments?: boolean;
  paper?: Paper;
}

export interface At {
  who: Who;
  book: number;
}

export type Match = 'none' | 'current' | 'stale' | 'star' | 'nonsense';
/** `§` in texts, titles and words stands for letters that no other run has. */
export type Call =
  | {
      kind: 'create';
      settings: Settings;
      texts: string[];
      slug?: number | 'reserved' | 'invalid' | undefined;
      key?: number | undefined;
    }
  | { kind: 'quick'; text: string; as: 'json' | 'markdown' | 'curl' }
  | { kind: 'check-slug'; slug: number | 'reserved' | 'invalid' }
  | ({ kind: 'read'; again: boolean; markdown: boolean } & At)
  | ({ kind: 'read-own' } & At)
  | ({ kind: 'read-page'; page: number; again: boolean } & At)
  | ({ kind: 'settings'; change: Settings } & At)
  | ({ kind: 'order'; order: 'reverse' | 'turn' | 'short' | 'double' } & At)
  | ({ kind: 'delete' } & At)
  | ({ kind: 'replace-link'; key?: number | undefined } & At)
  | ({ kind: 'unlock'; password: string } & At)
  | ({ kind: 'open' } & At)
  | ({
      kind: 'add-page';
      text?: string | undefined;
      title?: string | undefined;
      after?: number | undefined;
      key?: number | undefined;
    } & At)
  | ({ kind: 'save'; page: number; text?: string | undefined; title?: string | undefined; autosave: boolean; match: Match } & At)
  | ({ kind: 'delete-page'; page: number; match: Match } & At)
  | ({ kind: 'snapshots'; page: number } & At)
  | ({ kind: 'snapshot' | 'restore'; page: number; nth: number; byPage: boolean } & At)
  | ({ kind: 'add-image'; good: boolean } & At)
  | ({ kind: 'images' } & At)
  | ({ kind: 'delete-image'; nth: number } & At)
  | ({ kind: 'comments' } & At)
  | ({ kind: 'add-comment'; text: string; author?: string | undefined; page?: number | undefined } & At)
  | ({ kind: 'delete-comment'; nth: number } & At)
  | ({ kind: 'report'; reason: 'spam' | 'other' } & At)
  | ({ kind: 'view'; door: Door; page: number; head: boolean; again: boolean } & At)
  | ({ kind: 'find'; word: string } & At)
  | { kind: 'search'; word: string }
  | { kind: 'list'; door: '/sitemap.xml' | '/feed.atom' | '/llms.txt' | '/llms-full.txt' }
  | { kind: 'by-token'; book: number; which: 'current' | 'former'; print: boolean }
  | { kind: 'tick'; by: number }
  | { kind: 'until'; book: number; instant: 'expiry' | 'end of grace'; offset: -1 | 0 | 1 }
  | { kind: 'purge' }
  | { kind: 'take-down' | 'put-back'; book: number };

export type Door = 'view' | 'page' | 'print' | 'markdown' | 'epub' | 'embed' | 'edit' | 'feed' | 'slides';

/** What a call was aimed at when it was sent. */
export interface Aim extends Credentials {
  readonly book: number;
  readonly slug: string;
  readonly pageId: string;
  /** The id of a snapshot, a comment or an image. */
  readonly id: string;
  readonly ifMatch?: string | undefined;
  readonly order?: readonly string[] | undefined;
  readonly expiresAt?: number | null | undefined;
  /** `Idempotency-Key`. */
  readonly key?: string | undefined;
  /** For `If-None-Match`: an ETag that was answered, and the body that it stood for. */
  readonly seen?: { readonly etag: string; readonly body: string } | undefined;
}
export type Aimed = Call & { readonly aim: Aim };

/** What a server answered. */
export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly json: unknown;
  /** The answer began, and its connection was closed before its end. */
  readonly isCutOff?: boolean;
}

export const cutOff: Told = { status: 0, headers: {}, text: '', json: undefined, isCutOff: true };

/** A value that only the server could choose, from its answer. */
export function drawn(told: Told, ...path: (string | number)[]): string {
  let value: unknown = told.json;
  for (const step of path) value = (value as Record<string, unknown> | undefined)?.[step];
  return typeof value === 'string' ? value : '';
}

/** What the model expects. */
export interface Expected {
  readonly status: number | readonly number[];
  /** The problem's code; several where the contract leaves the order of two checks open. */
  readonly code?: string | readonly string[];
  /** A string for its exact value, an expression, or null for a header that must not be there. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  readonly json?: unknown;
  /** Words of the run that the text must have, and all that it may have. */
  readonly words?: { readonly must: readonly string[]; readonly may: readonly string[] };
  readonly includes?: readonly string[];
  readonly excludes?: readonly string[];
  readonly empty?: boolean;
}
