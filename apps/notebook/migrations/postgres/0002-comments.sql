-- Comments of readers: plain text, without accounts, deleted with their notebook (a page's with the page).
CREATE TABLE comments (
  -- The order of arrival: two comments of one millisecond still have one.
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  notebook_id text NOT NULL REFERENCES notebooks (id) ON DELETE CASCADE,
  page_id text REFERENCES pages (id) ON DELETE CASCADE,
  author text NOT NULL,
  body text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX comments_of_notebook ON comments (notebook_id, number);
CREATE INDEX comments_of_page ON comments (page_id) WHERE page_id IS NOT NULL;
