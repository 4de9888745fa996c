/** The migration steps, in order. A released step is never edited. Times are milliseconds since 1970. */
export const schemaSteps: readonly (readonly string[])[] = [
  [
    `CREATE TABLE sign_in_pending (
      handle TEXT PRIMARY KEY,
      browser TEXT NOT NULL,
      source TEXT NOT NULL,
      started_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      size INTEGER NOT NULL,
      value TEXT NOT NULL
    )`,
    'CREATE INDEX sign_in_pending_browser ON sign_in_pending (browser, started_at)',
    'CREATE INDEX sign_in_pending_source ON sign_in_pending (source, started_at)',
    'CREATE INDEX sign_in_pending_started ON sign_in_pending (started_at, size)',
    'CREATE INDEX sign_in_pending_expires ON sign_in_pending (expires_at)',
    'CREATE TABLE sign_in_claim (key TEXT PRIMARY KEY, until_at BIGINT NOT NULL)',
    'CREATE INDEX sign_in_claim_until ON sign_in_claim (until_at)',
    `CREATE TABLE sign_in_session (
      id TEXT PRIMARY KEY,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      provider_session TEXT,
      created_at BIGINT NOT NULL,
      used_at BIGINT NOT NULL,
      idle_ms BIGINT NOT NULL,
      ends_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      version INTEGER NOT NULL,
      value TEXT NOT NULL
    )`,
    'CREATE INDEX sign_in_session_subject ON sign_in_session (issuer, subject, used_at)',
    'CREATE INDEX sign_in_session_provider ON sign_in_session (issuer, provider_session)',
    'CREATE INDEX sign_in_session_ends ON sign_in_session (ends_at)',
    'CREATE TABLE sign_in_tombstone (key TEXT PRIMARY KEY, happened_at BIGINT NOT NULL, until_at BIGINT NOT NULL)',
    'CREATE INDEX sign_in_tombstone_until ON sign_in_tombstone (until_at)',
  ],
  [
    `CREATE TABLE sign_in_record (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      group_key TEXT,
      alias TEXT,
      value TEXT NOT NULL,
      written_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      taken_at BIGINT
    )`,
    'CREATE INDEX sign_in_record_group ON sign_in_record (group_key)',
    'CREATE INDEX sign_in_record_alias ON sign_in_record (alias)',
    'CREATE INDEX sign_in_record_written ON sign_in_record (kind, written_at)',
    'CREATE INDEX sign_in_record_expires ON sign_in_record (expires_at)',
  ],
];
