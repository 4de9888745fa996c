-- Images of notebooks. Their bytes lie in the object store under `object_key`; no row of ours holds any.
CREATE TABLE images (
  -- The order of arrival.
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  notebook_id text NOT NULL REFERENCES notebooks (id) ON DELETE CASCADE,
  object_key text NOT NULL UNIQUE,
  type text NOT NULL,
  bytes integer NOT NULL,
  width integer NOT NULL,
  height integer NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX images_of_notebook ON images (notebook_id, number);

-- Uploads under way: each counts as an image of its notebook until it is one, is given back, or is over.
CREATE TABLE upload_slots (
  image_id text PRIMARY KEY,
  notebook_id text NOT NULL REFERENCES notebooks (id) ON DELETE CASCADE,
  over_at bigint NOT NULL
);
CREATE INDEX upload_slots_of_notebook ON upload_slots (notebook_id, over_at);
CREATE INDEX upload_slots_over ON upload_slots (over_at);

-- Objects whose records are gone: still to be deleted from the object store. Without a foreign key: they outlive their notebook.
CREATE TABLE object_deletions (
  -- The order of arrival.
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  object_key text NOT NULL UNIQUE,
  notebook_id text NOT NULL,
  not_before bigint NOT NULL
);
CREATE INDEX object_deletions_due ON object_deletions (not_before, number);
CREATE INDEX object_deletions_of_notebook ON object_deletions (notebook_id);
