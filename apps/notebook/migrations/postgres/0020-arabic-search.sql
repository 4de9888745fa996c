-- Pages with Arabic letters go into the text index once more: it compares their words in other forms now (src/model/search-text.ts).
-- It reads all public text, so it comes before 0021, which locks the notebooks until all migrations are applied.
INSERT INTO search_queue (page_id, notebook_id)
  SELECT pages.id, pages.notebook_id FROM pages JOIN notebooks ON notebooks.id = pages.notebook_id
  WHERE notebooks.visibility = 'public' AND notebooks.taken_down_at IS NULL
    AND concat(notebooks.title, ' ', pages.given_title, ' ', pages.markdown) ~ '[\u0620-\u0655\ufb50-\ufdff\ufe70-\ufefc]'
  ORDER BY pages.updated_at, pages.id
  ON CONFLICT (page_id) DO UPDATE
    SET number = nextval(pg_get_serial_sequence('search_queue', 'number')), tries = 0, not_before = 0;
