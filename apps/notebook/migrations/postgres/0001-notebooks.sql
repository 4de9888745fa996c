-- Times are milliseconds since 1970 UTC. Only hashes of edit tokens, passwords, reader cookies and freed slugs are kept.
CREATE TABLE notebooks (
  id text PRIMARY KEY,
  slug text NOT NULL UNIQUE,
  title text NOT NULL,
  visibility text NOT NULL CHECK (visibility IN ('public', 'unlisted', 'private')),
  expires_at bigint,
  password_hash text,
  read_only boolean NOT NULL,
  burn_after_read boolean NOT NULL,
  opened_at bigint,
  -- SHA-256 of the cookie of the one reader who opened a burn-after-read notebook.
  reader_hash text,
  open_editing boolean NOT NULL,
  comments boolean NOT NULL,
  paper text NOT NULL,
  edit_token_hash text NOT NULL UNIQUE,
  taken_down_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  version bigint NOT NULL
);
CREATE INDEX notebooks_expiring ON notebooks (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX notebooks_opened ON notebooks (opened_at) WHERE opened_at IS NOT NULL;
CREATE INDEX notebooks_public ON notebooks (updated_at) WHERE visibility = 'public';

CREATE TABLE pages (
  id text PRIMARY KEY,
  notebook_id text NOT NULL REFERENCES notebooks (id) ON DELETE CASCADE,
  position integer NOT NULL CHECK (position >= 0),
  given_title text NOT NULL,
  heading text NOT NULL,
  revision integer NOT NULL,
  updated_at bigint NOT NULL,
  -- When the newest snapshot was made: what auto-save asks of every tick.
  snapshot_at bigint,
  markdown text NOT NULL
);
CREATE INDEX pages_in_order ON pages (notebook_id, position);

CREATE TABLE snapshots (
  id text PRIMARY KEY,
  page_id text NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  revision integer NOT NULL,
  given_title text NOT NULL,
  heading text NOT NULL,
  created_at bigint NOT NULL,
  bytes integer NOT NULL,
  markdown text NOT NULL,
  UNIQUE (page_id, revision)
);

CREATE TABLE renderings (
  page_id text NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  variant text NOT NULL,
  revision integer NOT NULL,
  engine text NOT NULL,
  json text NOT NULL,
  PRIMARY KEY (page_id, variant)
);

CREATE TABLE rate_slots (
  name text NOT NULL,
  key text NOT NULL,
  used integer NOT NULL,
  ends_at bigint NOT NULL,
  PRIMARY KEY (name, key)
);
CREATE INDEX rate_slots_over ON rate_slots (ends_at);

CREATE TABLE freed_slugs (
  -- SHA-256, hex: the name of a deleted notebook is not kept.
  slug_hash text PRIMARY KEY,
  free_at bigint NOT NULL
);
CREATE INDEX freed_slugs_free ON freed_slugs (free_at);

CREATE TABLE secrets (
  name text PRIMARY KEY,
  value text NOT NULL
);

-- Text search over the pages of public notebooks, nobody else's text enters it. The program writes the grams of the folded text
-- (see src/store/search-grams.ts): every three characters in a row, the words of one or two letters, and the single characters and
-- pairs of scripts that are written without spaces. No extension and no locale of the server takes part.
CREATE TABLE search_pages (
  page_id text PRIMARY KEY REFERENCES pages (id) ON DELETE CASCADE,
  grams text[] NOT NULL
);
CREATE INDEX search_pages_grams ON search_pages USING gin (grams);

-- Leaving the index is the database's own work, whatever statement makes a notebook private or takes it down.
CREATE FUNCTION leave_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_pages WHERE page_id IN (SELECT id FROM pages WHERE notebook_id = NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER notebooks_leave_search AFTER UPDATE OF visibility, taken_down_at ON notebooks FOR EACH ROW
WHEN (NEW.visibility <> 'public' OR NEW.taken_down_at IS NOT NULL) EXECUTE FUNCTION leave_search();
