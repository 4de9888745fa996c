-- The key of the request that added a page: the same request again, after its answer was lost, adds no second one
-- (docs/decisions/0045-added-once.md).
CREATE TABLE page_keys (
  page_id text NOT NULL PRIMARY KEY REFERENCES pages (id) ON DELETE CASCADE,
  notebook_id text NOT NULL,
  key text NOT NULL,
  UNIQUE (notebook_id, key)
);
