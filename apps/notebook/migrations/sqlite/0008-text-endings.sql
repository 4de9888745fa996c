-- Texts that kept the event loop until the watchdog ended the process: after the second time a text is shown plain.
CREATE TABLE text_endings (
  page_id TEXT NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  -- Milliseconds since 1970 UTC.
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (page_id, revision, ended_at)
) STRICT;
