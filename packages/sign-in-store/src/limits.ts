/** The limits of the store. Everything that an anonymous visitor can cause has a number here. */
export interface StoreLimits {
  /** Pending sign-ins per browser (tabs). One more drops that browser's oldest. */
  maxPendingPerBrowser: number;
  /** Pending sign-ins per source (a network address). One more drops that source's oldest. */
  maxPendingPerSource: number;
  /** Pending sign-ins in total. One more drops the oldest. */
  maxPending: number;
  /** Bytes per pending sign-in. More is refused. */
  maxPendingBytes: number;
  /** Bytes of all pending sign-ins together. More drops the oldest. */
  maxPendingBytesInAll: number;
  /** Sessions per person. One more ends the one that was unused for longest. */
  maxSessionsPerPerson: number;
  /** Bytes per session. More is refused. */
  maxSessionBytes: number;
  /** Bytes per record. More is refused. */
  maxRecordBytes: number;
  /** A session's last use is written at most this often, so that reads do not become writes. In seconds. */
  touchEverySeconds: number;
  /** How long a logout is remembered for a sign-in that it overtook. Must be longer than a sign-in can take. In seconds. */
  tombstoneSeconds: number;
  /** How many logouts are remembered. Beyond that, one that anyone can send (`isUnproven`) ends sessions but is not remembered. */
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
