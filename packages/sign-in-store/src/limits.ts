/** What bounds the store. Everything an anonymous visitor can cause has a number here. */
export interface StoreLimits {
  /** Sign-ins one browser may have under way (tabs). One more drops the oldest of that browser. */
  maxPendingPerBrowser: number;
  /** Sign-ins one source (a network address) may have under way. One more drops the oldest of that source. */
  maxPendingPerSource: number;
  /** Sign-ins under way in all. One more drops the oldest. */
  maxPending: number;
  /** Bytes that one sign-in under way may hold. More is refused. */
  maxPendingBytes: number;
  /** Bytes that all sign-ins under way may hold together. More drops the oldest. */
  maxPendingBytesInAll: number;
  /** Sessions one person may have. One more ends the one not used for longest. */
  maxSessionsPerPerson: number;
  /** Bytes that one session may hold. More is refused. */
  maxSessionBytes: number;
  /** Bytes that one record may hold. More is refused. */
  maxRecordBytes: number;
  /** A session's last use is written at most this often, so that a read does not become a write. Seconds. */
  touchEverySeconds: number;
  /** How long a logout is remembered for a sign-in that it overtook. Longer than a sign-in can take. Seconds. */
  tombstoneSeconds: number;
  /** Logouts that are remembered. Past it one that anybody can send (`isUnproven`) ends sessions and is not remembered. */
  maxTombstones: number;
}

export const defaultLimits: Readonly<StoreLimits> = {
  maxPendingPerBrowser: 20,
  maxPendingPerSource: 500,
  maxPending: 20_000,
  maxPendingBytes: 131_072,
  maxPendingBytesInAll: 268_435_456,
  maxSessionsPerPerson: 50,
  maxSessionBytes: 262_144,
  maxRecordBytes: 131_072,
  touchEverySeconds: 30,
  tombstoneSeconds: 900,
  maxTombstones: 20_000,
};
