-- Other sites may show the notebook in a frame (/n/{slug}/embed).
ALTER TABLE notebooks ADD COLUMN embedding INTEGER NOT NULL DEFAULT 0 CHECK (embedding IN (0, 1));

-- The file that a page was imported from, so that links between files and the export find it. A table of its own: as a column after
-- the text it would be read by walking the text.
CREATE TABLE page_files (
  page_id TEXT NOT NULL PRIMARY KEY REFERENCES pages (id) ON DELETE CASCADE,
  notebook_id TEXT NOT NULL,
  path TEXT NOT NULL,
  -- A unified diff that makes the file of the page's first text; empty: they were the same.
  patch TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX page_files_of_notebook ON page_files (notebook_id);
