/** Every number of the gate that is not a setting, its unit in the name. */
export const limits = {
  /** Forms that providers and people send to the gate itself. */
  maxFormBytes: 524_288,
  /** From its first octet to its last: a sender of one octet a minute must not hold a connection for a day. */
  formSeconds: 60,
  /** Becomes an address, which must fit into `maxHeaderBytes`. */
  maxAuthorizationFormBytes: 8_192,
  /** A POST that is kept while its sender signs in (contract: 64 kB). */
  maxKeptBodyBytes: 65_536,
  maxHeaderBytes: 32_768,
  /** Metadata from an address where no `entityId` says which provider of several is meant. */
  maxSingleMetadataBytes: 4_194_304,
  pendingSeconds: 900,
  /** A refresh that takes longer lets another process try. */
  refreshLeaseSeconds: 20,
  /** Open streams of a session or an access token that has ended are closed at the next round. */
  watchEveryMs: 500,
  /** Questions about opaque access tokens that one provider gets at once, in one process. */
  maxIntrospectionsAtOnce: 100,
  /** Opaque access tokens that no provider vouches for, and that one source may have us ask about … */
  maxUnknownTokensOfASource: 50,
  /** … with one more each time this has passed. */
  unknownTokenEveryMs: 2_000,
  /** While a stream is open that an opaque access token opened, its provider is asked about it no more often … */
  openTokenEveryMs: 10_000,
  /** … about no more of them at once … */
  maxQuestionsAboutOpenTokens: 20,
  /** … and one that cannot be asked ends the stream after so long, from when that was first to be done. */
  unconfirmedTokenMs: 300_000,
  /** Sessions behind open streams for which providers are asked at once, when they are due … */
  maxRenewalsOfOpenSessions: 10,
  /** … and how soon again for one that could not be renewed: while the package still remembers the answer to its refresh token. */
  openSessionEveryMs: 30_000,
  purgeEveryMs: 30_000,
  /** For each kind of record that visitors can cause before they sign in. */
  maxBridgeRecordsOfAKind: 20_000,
  configLookEveryMs: 2_000,
  stopWithinMs: 10_000,
  rememberProviderSeconds: 31_536_000,
} as const;
