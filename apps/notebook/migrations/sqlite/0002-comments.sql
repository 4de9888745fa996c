-- Comments of readers: plain text, without accounts, deleted with their notebook (a page's with the page).
CREATE TABLE comments (
  -- The order of arrival: two comments of one millisecond still have one.
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  notebook_id TEXT NOT NULL REFERENCES notebooks (id) ON DELETE CASCADE,
  page_id TEXT REFERENCES pages (id) ON DELETE CASCADE,
  author TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX comments_of_notebook ON comments (notebook_id, number);
CREATE INDEX comments_of_page ON comments (page_id) WHERE page_id IS NOT NULL;
