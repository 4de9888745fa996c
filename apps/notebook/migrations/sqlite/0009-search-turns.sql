-- The text index is a file of its own beside the database (src/store/search-file.ts), made anew from the pages whenever it does not fit.
DROP TRIGGER notebooks_leave_search;
DROP TRIGGER pages_leave_search;
DROP TRIGGER search_pages_added;
DROP TRIGGER search_pages_removed;
DROP TABLE search_text;
DROP TABLE search_short;
DROP TABLE search_pages;

-- One row: which file is the index, and the highest number of the queue that it is known to have followed.
CREATE TABLE search_index (
  id TEXT NOT NULL,
  followed INTEGER NOT NULL
) STRICT;
INSERT INTO search_index (id, followed) VALUES ('', 0);

-- The pages that the index holds.
CREATE TABLE search_indexed (
  page_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- A page that could not be indexed waits; `not_before` is in milliseconds since 1970.
ALTER TABLE search_queue ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_queue ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;

-- Leaving is queued by the database itself, whatever statement makes a notebook private, takes it down or deletes it. What is queued
-- already may be on its way into the index at this moment: with a new number it gets another turn.
CREATE TRIGGER notebooks_leave_search AFTER UPDATE OF visibility, taken_down_at ON notebooks
WHEN new.visibility <> 'public' OR new.taken_down_at IS NOT NULL BEGIN
  INSERT OR REPLACE INTO search_queue (page_id, notebook_id)
    SELECT id, notebook_id FROM pages WHERE notebook_id = new.id
      AND (id IN (SELECT page_id FROM search_indexed) OR id IN (SELECT page_id FROM search_queue));
END;
CREATE TRIGGER pages_leave_search AFTER DELETE ON pages
WHEN EXISTS (SELECT 1 FROM search_indexed WHERE page_id = old.id) OR EXISTS (SELECT 1 FROM search_queue WHERE page_id = old.id) BEGIN
  INSERT OR REPLACE INTO search_queue (page_id, notebook_id) VALUES (old.id, old.notebook_id);
END;
