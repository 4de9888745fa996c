-- Other sites may show the notebook in a frame (/n/{slug}/embed).
ALTER TABLE notebooks ADD COLUMN embedding boolean NOT NULL DEFAULT false;

-- The file that a page was imported from, so that links between files and the export find it.
CREATE TABLE page_files (
  page_id text NOT NULL PRIMARY KEY REFERENCES pages (id) ON DELETE CASCADE,
  notebook_id text NOT NULL,
  path text NOT NULL,
  -- A unified diff that makes the file of the page's first text; empty: they were the same.
  patch text NOT NULL
);
CREATE INDEX page_files_of_notebook ON page_files (notebook_id);
