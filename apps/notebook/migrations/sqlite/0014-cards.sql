-- Pictures of shared links, one for a notebook. A row counts only for the notebook's version and the build of the program that drew it,
-- and only so many are kept (docs/decisions/0034-cards.md).
CREATE TABLE cards (
  notebook_id TEXT NOT NULL PRIMARY KEY REFERENCES notebooks (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  build TEXT NOT NULL,
  drawn_at INTEGER NOT NULL,
  png BLOB NOT NULL
) STRICT;
CREATE INDEX cards_by_age ON cards (drawn_at);

-- As finished pages: what is not for everybody with the link any more is not kept, whatever statement says so.
CREATE TRIGGER notebooks_lose_card AFTER UPDATE OF visibility, password_hash, burn_after_read, taken_down_at ON notebooks
WHEN new.visibility = 'private' OR new.password_hash IS NOT NULL OR new.burn_after_read <> 0 OR new.taken_down_at IS NOT NULL BEGIN
  DELETE FROM cards WHERE notebook_id = new.id;
END;
