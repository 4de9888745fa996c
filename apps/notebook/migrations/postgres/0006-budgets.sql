-- The UTF-8 bytes of the markdown of all pages together: checked and counted in the statement that writes.
ALTER TABLE notebooks ADD COLUMN markdown_bytes bigint NOT NULL DEFAULT 0;
UPDATE notebooks SET markdown_bytes = (SELECT coalesce(sum(octet_length(markdown)), 0) FROM pages WHERE notebook_id = notebooks.id);

-- Who wrote the text: the owner, or a visitor under open editing. What visitors write never pushes out the owner's last text.
ALTER TABLE pages ADD COLUMN by_owner boolean NOT NULL DEFAULT true;
ALTER TABLE snapshots ADD COLUMN by_owner boolean NOT NULL DEFAULT true;
-- Everything that the bound on a notebook's snapshots looks at, without reading a text.
CREATE INDEX snapshots_weighed ON snapshots (page_id, revision, created_at, by_owner, bytes, id);
