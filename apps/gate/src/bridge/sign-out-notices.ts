/** The result of telling applications that a session is over. */
export interface SignOutNotices {
  /** Names of applications that were told by the server and did not confirm. */
  readonly silent: readonly string[];
  /** Addresses to load in frames, for applications that are told through the browser. */
  readonly frames: readonly string[];
}

export const noNotices: SignOutNotices = { silent: [], frames: [] };
