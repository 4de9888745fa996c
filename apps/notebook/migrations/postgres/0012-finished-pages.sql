-- Pages as they are sent, compressed: made when a text is written or first looked at, of notebooks that everybody with the link may
-- read. A row counts only for the notebook's version and the build of the program that made it (docs/decisions/0027-views.md).
CREATE TABLE finished_pages (
  page text PRIMARY KEY REFERENCES pages (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  build text NOT NULL,
  etag text NOT NULL,
  frames boolean NOT NULL,
  br bytea NOT NULL
);
-- It is compressed already.
ALTER TABLE finished_pages ALTER COLUMN br SET STORAGE EXTERNAL;

-- What is not to be read by everybody any more is not kept here either, whatever statement says so.
CREATE FUNCTION lose_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM finished_pages WHERE page IN (SELECT id FROM pages WHERE notebook_id = NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER notebooks_lose_finished AFTER UPDATE OF visibility, password_hash, burn_after_read, taken_down_at ON notebooks
  FOR EACH ROW
  WHEN (NEW.visibility = 'private' OR NEW.password_hash IS NOT NULL OR NEW.burn_after_read OR NEW.taken_down_at IS NOT NULL)
  EXECUTE FUNCTION lose_finished();
