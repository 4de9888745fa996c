-- Texts that kept the event loop until the watchdog ended the process: after the second time a text is shown plain.
CREATE TABLE text_endings (
  page_id text NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  revision integer NOT NULL,
  -- Milliseconds since 1970 UTC.
  ended_at bigint NOT NULL,
  PRIMARY KEY (page_id, revision, ended_at)
);
