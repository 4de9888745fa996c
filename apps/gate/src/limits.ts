/** Every number of the gate that is not a setting, with its unit in the name. */
export const limits = {
  /** For forms that providers and people send to the gate itself. */
  maxFormBytes: 524_288,
  /** From the first byte to the last: a sender of one byte a minute must not hold a connection for a day. */
  formSeconds: 60,
  /** For all forms together that are arriving: 128 of the largest. */
  maxBodiesInFlightBytes: 67_108_864,
  /** The form is turned into a URL, which must fit into `maxHeaderBytes`. */
  maxAuthorizationFormBytes: 8_192,
  /** For a POST that is kept while its sender signs in (contract: 64 kB). */
  maxKeptBodyBytes: 65_536,
  maxHeaderBytes: 32_768,
  /** For metadata from a URL without an `entityId` that picks one of several providers. */
  maxSingleMetadataBytes: 4_194_304,
  /** How often metadata that was never read is tried again for those who need it: anybody can ask, and it may be large. */
  readMetadataAgainMs: 5_000,
  pendingSeconds: 900,
  /** How long a browser remembers where its sign-ins lead, … */
  waySeconds: 86_400,
  /** … the longest address that it remembers, and the length of all of them together. */
  maxWayLength: 400,
  maxWaysLength: 700,
  /** How long a new session waits for the browser to follow a redirect to it. */
  createdSeconds: 60,
  /** How long a sign-out waits to learn where to sign out at the provider. The person is signed out here already. */
  askWhereToSignOutMs: 1_000,
  /** A refresh that takes longer lets another process try. */
  refreshLeaseSeconds: 20,
  /** Refresh tokens that one provider is asked to revoke at once … */
  maxRevocationsAtOnce: 4,
  /** … and those that may wait for it in a process. More are left in the store for the next try. */
  maxRevocationsWaiting: 1_000,
  /** Tokens that a provider did not revoke, or an earlier process left, are tried again this often … */
  revokeAgainEveryMs: 300_000,
  /** … for this long. The store holds the refresh token of a person who has left no longer than that … */
  revokeWithinMs: 3_600_000,
  /** … and of so many at most; one more drops the oldest. */
  maxRevocationsOwed: 5_000,
  /** How often streams are checked: those of an ended session or access token are closed at the next check. */
  watchEveryMs: 500,
  /** Concurrent questions about opaque access tokens to one provider, in one process. */
  maxIntrospectionsAtOnce: 100,
  /** How many opaque access tokens that no provider vouches for one source may make us ask about … */
  maxUnknownTokensOfASource: 50,
  /** … plus one more each time this has passed. */
  unknownTokenEveryMs: 2_000,
  /** While a stream opened with an opaque access token is open, its provider is asked about the token at most this often … */
  openTokenEveryMs: 10_000,
  /** … about at most this many tokens at once … */
  maxQuestionsAboutOpenTokens: 20,
  /** … and a token that cannot be confirmed for this long, counted from when it was due, ends its stream. */
  unconfirmedTokenMs: 300_000,
  /** How many sessions behind open streams are renewed at once, when they are due … */
  maxRenewalsOfOpenSessions: 10,
  /** … and how soon one that could not be renewed is tried again: while the package still remembers the answer to its refresh token. */
  openSessionEveryMs: 30_000,
  /** How long nothing may be sent to a client that ended its side of the connection. It may be gone. */
  halfClosedQuietMs: 2_000,
  /** How long a client may take to read the last answer of its connection and to close it. */
  lastAnswerMs: 2_000,
  purgeEveryMs: 30_000,
  /** For each kind of record that visitors can create before they sign in. */
  maxBridgeRecordsOfAKind: 20_000,
  configLookEveryMs: 2_000,
  stopWithinMs: 10_000,
  rememberProviderSeconds: 31_536_000,
} as const;
