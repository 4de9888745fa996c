-- The hash of the edit token that a notebook began with, once that was replaced. The key of a create gives the same token each time: without
-- this, the same request again would make a second notebook that the replaced link opens (docs/decisions/0045-added-once.md).
ALTER TABLE notebooks ADD COLUMN first_token_hash TEXT;
CREATE UNIQUE INDEX notebooks_first_token ON notebooks (first_token_hash) WHERE first_token_hash IS NOT NULL;
