-- Writes wait for no indexing: nothing refers to the pages any more, and leaving the index is queued as coming into it is.
ALTER TABLE search_pages DROP CONSTRAINT search_pages_page_id_fkey;
ALTER TABLE search_queue DROP CONSTRAINT search_queue_page_id_fkey;

-- A page that could not be indexed waits; `not_before` is in milliseconds since 1970.
ALTER TABLE search_queue ADD COLUMN tries integer NOT NULL DEFAULT 0;
ALTER TABLE search_queue ADD COLUMN not_before bigint NOT NULL DEFAULT 0;

-- What is queued already may be on its way into the index at this moment: with a new number it gets another turn.
CREATE OR REPLACE FUNCTION leave_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_queue (page_id, notebook_id)
    SELECT id, notebook_id FROM pages WHERE notebook_id = NEW.id
      AND (id IN (SELECT page_id FROM search_pages) OR id IN (SELECT page_id FROM search_queue)) ORDER BY id
    ON CONFLICT (page_id) DO UPDATE
      SET number = nextval(pg_get_serial_sequence('search_queue', 'number')), tries = 0, not_before = 0;
  RETURN NULL;
END
$$;

CREATE FUNCTION page_leaves_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM search_pages WHERE page_id = OLD.id) OR EXISTS (SELECT 1 FROM search_queue WHERE page_id = OLD.id) THEN
    INSERT INTO search_queue (page_id, notebook_id) VALUES (OLD.id, OLD.notebook_id)
      ON CONFLICT (page_id) DO UPDATE
        SET number = nextval(pg_get_serial_sequence('search_queue', 'number')), tries = 0, not_before = 0;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER pages_leave_search AFTER DELETE ON pages FOR EACH ROW EXECUTE FUNCTION page_leaves_search();
