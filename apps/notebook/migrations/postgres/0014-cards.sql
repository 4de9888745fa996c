-- Pictures of shared links, one for a notebook. A row counts only for the notebook's version and the build of the program that drew it,
-- and only so many are kept (docs/decisions/0034-cards.md).
CREATE TABLE cards (
  notebook_id text NOT NULL PRIMARY KEY REFERENCES notebooks (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  build text NOT NULL,
  drawn_at bigint NOT NULL,
  png bytea NOT NULL
);
-- It is compressed already.
ALTER TABLE cards ALTER COLUMN png SET STORAGE EXTERNAL;
CREATE INDEX cards_by_age ON cards (drawn_at);

-- As finished pages: what is not for everybody with the link any more is not kept, whatever statement says so.
CREATE FUNCTION lose_card() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM cards WHERE notebook_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER notebooks_lose_card AFTER UPDATE OF visibility, password_hash, burn_after_read, taken_down_at ON notebooks
  FOR EACH ROW
  WHEN (NEW.visibility = 'private' OR NEW.password_hash IS NOT NULL OR NEW.burn_after_read OR NEW.taken_down_at IS NOT NULL)
  EXECUTE FUNCTION lose_card();
