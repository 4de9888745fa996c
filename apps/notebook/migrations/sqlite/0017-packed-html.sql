-- The HTML of a long page is kept compressed, apart from what else is known of the page (docs/decisions/0051-long-pages.md).
ALTER TABLE renderings ADD COLUMN packed BLOB;
