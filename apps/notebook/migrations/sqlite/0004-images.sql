-- Images of notebooks. Their bytes lie in the object store under `object_key`; no row of ours holds any.
CREATE TABLE images (
  -- The order of arrival.
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  notebook_id TEXT NOT NULL REFERENCES notebooks (id) ON DELETE CASCADE,
  object_key TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX images_of_notebook ON images (notebook_id, number);

-- Uploads under way: each counts as an image of its notebook until it is one, is given back, or is over.
CREATE TABLE upload_slots (
  image_id TEXT NOT NULL PRIMARY KEY,
  notebook_id TEXT NOT NULL REFERENCES notebooks (id) ON DELETE CASCADE,
  over_at INTEGER NOT NULL
) STRICT;
CREATE INDEX upload_slots_of_notebook ON upload_slots (notebook_id, over_at);
CREATE INDEX upload_slots_over ON upload_slots (over_at);

-- Objects whose records are gone: still to be deleted from the object store. Without a foreign key: they outlive their notebook.
CREATE TABLE object_deletions (
  -- The order of arrival.
  number INTEGER PRIMARY KEY,
  object_key TEXT NOT NULL UNIQUE,
  notebook_id TEXT NOT NULL,
  not_before INTEGER NOT NULL
) STRICT;
CREATE INDEX object_deletions_due ON object_deletions (not_before, number);
CREATE INDEX object_deletions_of_notebook ON object_deletions (notebook_id);
