-- Pages as they are sent, compressed: made when a text is written or first looked at, of notebooks that everybody with the link may
-- read. A row counts only for the notebook's version and the build of the program that made it (docs/decisions/0027-views.md).
CREATE TABLE finished_pages (
  -- The rowid: found from `pages_in_order` alone.
  page INTEGER PRIMARY KEY REFERENCES pages (number) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  build TEXT NOT NULL,
  etag TEXT NOT NULL,
  frames INTEGER NOT NULL,
  br BLOB NOT NULL
) STRICT;

-- What is not to be read by everybody any more is not kept here either, whatever statement says so.
CREATE TRIGGER notebooks_lose_finished AFTER UPDATE OF visibility, password_hash, burn_after_read, taken_down_at ON notebooks
WHEN new.visibility = 'private' OR new.password_hash IS NOT NULL OR new.burn_after_read <> 0 OR new.taken_down_at IS NOT NULL BEGIN
  DELETE FROM finished_pages WHERE page IN (SELECT number FROM pages WHERE notebook_id = new.id);
END;
