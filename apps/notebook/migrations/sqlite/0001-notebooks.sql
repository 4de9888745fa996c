-- Times are milliseconds since 1970 UTC. Only hashes of edit tokens, passwords, reader cookies and freed slugs are kept.
CREATE TABLE notebooks (
  id TEXT NOT NULL PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'unlisted', 'private')),
  expires_at INTEGER,
  password_hash TEXT,
  read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
  burn_after_read INTEGER NOT NULL CHECK (burn_after_read IN (0, 1)),
  opened_at INTEGER,
  -- SHA-256 of the cookie of the one reader who opened a burn-after-read notebook.
  reader_hash TEXT,
  open_editing INTEGER NOT NULL CHECK (open_editing IN (0, 1)),
  comments INTEGER NOT NULL CHECK (comments IN (0, 1)),
  paper TEXT NOT NULL,
  edit_token_hash TEXT NOT NULL UNIQUE,
  taken_down_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX notebooks_expiring ON notebooks (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX notebooks_opened ON notebooks (opened_at) WHERE opened_at IS NOT NULL;
CREATE INDEX notebooks_public ON notebooks (updated_at) WHERE visibility = 'public';

CREATE TABLE pages (
  -- The rowid that the search tables point at.
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  notebook_id TEXT NOT NULL REFERENCES notebooks (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  given_title TEXT NOT NULL,
  heading TEXT NOT NULL,
  revision INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When the newest snapshot was made: what auto-save asks of every tick.
  snapshot_at INTEGER,
  -- Last, so that reading the columns before it does not walk the overflow pages of a long text.
  markdown TEXT NOT NULL
) STRICT;
CREATE INDEX pages_in_order ON pages (notebook_id, position);

CREATE TABLE snapshots (
  id TEXT NOT NULL PRIMARY KEY,
  page_id TEXT NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  given_title TEXT NOT NULL,
  heading TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  markdown TEXT NOT NULL,
  UNIQUE (page_id, revision)
) STRICT;

CREATE TABLE renderings (
  page_id TEXT NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  variant TEXT NOT NULL,
  revision INTEGER NOT NULL,
  engine TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (page_id, variant)
) STRICT;

CREATE TABLE rate_slots (
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  used INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX rate_slots_over ON rate_slots (ends_at);

CREATE TABLE freed_slugs (
  -- SHA-256, hex: the name of a deleted notebook is not kept.
  slug_hash TEXT NOT NULL PRIMARY KEY,
  free_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX freed_slugs_free ON freed_slugs (free_at);

CREATE TABLE secrets (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Text search over the pages of public notebooks, nobody else's text enters it. The program writes folded text and its short grams
-- (see src/store/search-grams.ts): `search_text` finds three characters and more anywhere in a word, `search_short` the words of one
-- or two letters and the single characters and pairs of scripts that are written without spaces.
CREATE TABLE search_pages (
  number INTEGER PRIMARY KEY REFERENCES pages (number) ON DELETE CASCADE,
  text TEXT NOT NULL,
  grams TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE search_text USING fts5 (text, content = 'search_pages', content_rowid = 'number', tokenize = 'trigram case_sensitive 1');
CREATE VIRTUAL TABLE search_short USING fts5 (grams, content = 'search_pages', content_rowid = 'number', tokenize = 'ascii');
-- What leaves the index is taken out of it at once, not only marked and merged away some day.
INSERT INTO search_text (search_text, rank) VALUES ('secure-delete', 1);
INSERT INTO search_short (search_short, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER search_pages_added AFTER INSERT ON search_pages BEGIN
  INSERT INTO search_text (rowid, text) VALUES (new.number, new.text);
  INSERT INTO search_short (rowid, grams) VALUES (new.number, new.grams);
END;
CREATE TRIGGER search_pages_removed AFTER DELETE ON search_pages BEGIN
  INSERT INTO search_text (search_text, rowid, text) VALUES ('delete', old.number, old.text);
  INSERT INTO search_short (search_short, rowid, grams) VALUES ('delete', old.number, old.grams);
END;
CREATE TRIGGER search_pages_changed AFTER UPDATE ON search_pages BEGIN
  INSERT INTO search_text (search_text, rowid, text) VALUES ('delete', old.number, old.text);
  INSERT INTO search_short (search_short, rowid, grams) VALUES ('delete', old.number, old.grams);
  INSERT INTO search_text (rowid, text) VALUES (new.number, new.text);
  INSERT INTO search_short (rowid, grams) VALUES (new.number, new.grams);
END;
-- Leaving the index is the database's own work, whatever statement makes a notebook private or takes it down.
CREATE TRIGGER notebooks_leave_search AFTER UPDATE OF visibility, taken_down_at ON notebooks
WHEN new.visibility <> 'public' OR new.taken_down_at IS NOT NULL BEGIN
  DELETE FROM search_pages WHERE number IN (SELECT number FROM pages WHERE notebook_id = new.id);
END;
