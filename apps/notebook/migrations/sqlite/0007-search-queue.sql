-- Pages whose place in the text index is to be looked at: a write only says so here, the index follows in small portions. Without a
-- foreign key: a deleted page has to leave the index yet.
CREATE TABLE search_queue (
  -- The order of arrival; a page that is queued again gets a new number, so that nothing is taken for done that came meanwhile.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  page_id TEXT NOT NULL UNIQUE,
  notebook_id TEXT NOT NULL
) STRICT;
CREATE INDEX search_queue_turns ON search_queue (notebook_id, number);

DROP TRIGGER notebooks_leave_search;
DROP TRIGGER search_pages_added;
DROP TRIGGER search_pages_removed;
DROP TRIGGER search_pages_changed;
DROP TABLE search_text;
DROP TABLE search_short;
DROP TABLE search_pages;

-- Numbers grow with each entry: a search walks them from the end and meets what changed last first. No foreign key, because a deletion
-- must not wait for the index; a row whose page is gone or not public any more is found by nobody.
CREATE TABLE search_pages (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  page_id TEXT NOT NULL UNIQUE,
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

-- Leaving is queued by the database itself, whatever statement makes a notebook private, takes it down or deletes it.
CREATE TRIGGER notebooks_leave_search AFTER UPDATE OF visibility, taken_down_at ON notebooks
WHEN new.visibility <> 'public' OR new.taken_down_at IS NOT NULL BEGIN
  INSERT OR REPLACE INTO search_queue (page_id, notebook_id)
    SELECT id, notebook_id FROM pages WHERE notebook_id = new.id AND id IN (SELECT page_id FROM search_pages);
END;
CREATE TRIGGER pages_leave_search AFTER DELETE ON pages
WHEN EXISTS (SELECT 1 FROM search_pages WHERE page_id = old.id) BEGIN
  INSERT OR REPLACE INTO search_queue (page_id, notebook_id) VALUES (old.id, old.notebook_id);
END;

INSERT INTO search_queue (page_id, notebook_id)
  SELECT pages.id, pages.notebook_id FROM pages JOIN notebooks ON notebooks.id = pages.notebook_id
  WHERE notebooks.visibility = 'public' AND notebooks.taken_down_at IS NULL ORDER BY pages.number;
