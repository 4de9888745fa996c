-- By place in the list, not by time alone: notebooks of the same millisecond (brought in by a program, for example) would each be looked at again
-- for every batch of the sitemap.
CREATE INDEX notebooks_listed ON notebooks (updated_at, id) WHERE visibility = 'public';
DROP INDEX notebooks_public;
