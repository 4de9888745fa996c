-- Pages with Arabic letters go into the text index once more: it compares their words in other forms now (src/model/search-text.ts).
INSERT OR REPLACE INTO search_queue (page_id, notebook_id)
  SELECT pages.id, pages.notebook_id FROM pages JOIN notebooks ON notebooks.id = pages.notebook_id
  WHERE notebooks.visibility = 'public' AND notebooks.taken_down_at IS NULL
    AND notebooks.title || ' ' || pages.given_title || ' ' || pages.markdown
      GLOB '*[' || char(0x0620, 0x2d, 0x0655, 0xfb50, 0x2d, 0xfdff, 0xfe70, 0x2d, 0xfefc) || ']*'
  ORDER BY pages.updated_at, pages.id;
