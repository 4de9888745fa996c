/** `gone`: the notebook is gone, or the token no longer matches it. `read_only`, `not_allowed`: it may be read but not changed. */
export type WriteRefused = { kind: 'gone' } | { kind: 'read_only' } | { kind: 'not_allowed' } | RateLimited;

export interface RateLimited {
  readonly kind: 'rate_limited';
  readonly retryAfterSeconds: number;
}
