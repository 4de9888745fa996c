-- A save in one round trip to the server: it takes the rate slot, locks the notebook, decides and writes. The rules are those of
-- src/store/write-content.ts, which SQLite runs; test/store/saves-agree.test.ts compares the two. A change of the rules is a new
-- function with a new number, so that processes of both versions can share the database while they are replaced.
CREATE FUNCTION save_page_1(
  of_notebook text, of_page text,
  -- The edit token's hash; NULL: a visitor writes.
  token_hash text,
  -- NULL: stays as it is.
  new_title text, new_heading text, new_text text,
  -- NULL: the last writer wins.
  expected integer,
  -- The time of the newest snapshot from which on an auto-save makes none; NULL: no auto-save.
  autosave_since bigint,
  new_snapshot text, at_time bigint, max_bytes bigint, max_snapshot_bytes bigint, max_snapshots integer,
  -- NULL: nothing is counted.
  slot_name text, slot_key text, slot_max integer, slot_ends bigint,
  OUT kind text, OUT slot_full_until bigint,
  OUT page_position integer, OUT page_title text, OUT page_heading text, OUT page_revision integer, OUT page_updated_at bigint,
  -- NULL: the text that was sent.
  OUT page_text text)
LANGUAGE plpgsql AS $$
DECLARE
  book record;
  was record;
  uses integer;
  old_bytes bigint;
  grows bigint;
  held integer;
  -- A visitor's save spares what the owner needs to undo it.
  guards boolean := token_hash IS NULL;
  day_ago bigint := at_time - 86400000;
BEGIN
  IF slot_name IS NOT NULL THEN
    INSERT INTO rate_slots AS slot (name, key, used, ends_at) VALUES (slot_name, slot_key, 1, slot_ends)
      ON CONFLICT (name, key) DO UPDATE SET
        used = CASE WHEN slot.ends_at <= at_time THEN 1 ELSE slot.used + 1 END,
        ends_at = CASE WHEN slot.ends_at <= at_time OR slot.ends_at > slot_ends THEN excluded.ends_at ELSE slot.ends_at END
        WHERE slot.used < slot_max OR slot.ends_at <= at_time OR slot.ends_at > slot_ends
      RETURNING slot.used INTO uses;
    IF uses IS NULL OR uses > slot_max THEN
      kind := 'rate_limited';
      SELECT ends_at INTO slot_full_until FROM rate_slots WHERE name = slot_name AND key = slot_key;
      RETURN;
    END IF;
  END IF;

  -- Whoever else writes to this notebook waits here. Each statement below sees what was committed before it began.
  SELECT edit_token_hash, taken_down_at, open_editing, read_only, visibility, markdown_bytes INTO book
    FROM notebooks WHERE id = of_notebook FOR NO KEY UPDATE;
  IF NOT FOUND OR book.taken_down_at IS NOT NULL OR (token_hash IS NOT NULL AND token_hash <> book.edit_token_hash) THEN
    kind := 'gone';
    RETURN;
  END IF;
  IF guards AND NOT book.open_editing THEN
    kind := 'not_allowed';
    RETURN;
  END IF;
  IF book.read_only THEN
    kind := 'read_only';
    RETURN;
  END IF;

  SELECT position, given_title, heading, revision, updated_at, snapshot_at, by_owner, octet_length(markdown) AS bytes,
      markdown = coalesce(new_text, markdown) AS same_text INTO was
    FROM pages WHERE id = of_page AND notebook_id = of_notebook;
  IF NOT FOUND THEN
    kind := 'page_missing';
    RETURN;
  END IF;
  page_position := was.position;
  page_title := was.given_title;
  page_heading := was.heading;
  page_revision := was.revision;
  page_updated_at := was.updated_at;
  IF expected <> was.revision THEN
    kind := 'stale';
  ELSIF was.same_text AND coalesce(new_title, was.given_title) = was.given_title THEN
    kind := 'unchanged';
  END IF;
  IF kind IS NOT NULL OR new_text IS NULL THEN
    SELECT markdown INTO page_text FROM pages WHERE id = of_page;
  END IF;
  IF kind IS NOT NULL THEN
    RETURN;
  END IF;

  old_bytes := was.bytes;
  grows := coalesce(octet_length(new_text), old_bytes) - old_bytes;
  IF grows > 0 AND book.markdown_bytes + grows > max_bytes THEN
    kind := 'notebook_too_large';
    RETURN;
  END IF;

  -- The owner's text under a visitor's is kept whatever the clock says.
  IF autosave_since IS NULL OR was.snapshot_at IS NULL OR was.snapshot_at < autosave_since OR (guards AND was.by_owner) THEN
    SELECT count(*) INTO held FROM snapshots WHERE page_id = of_page;
    IF held >= max_snapshots THEN
      -- As in src/store/snapshot-room.ts.
      DELETE FROM snapshots WHERE id IN (
        SELECT placed.id FROM (
          SELECT judged.id, row_number() OVER (ORDER BY spared DESC, judged.revision DESC) AS place FROM (
            SELECT s.id, s.revision, CASE
              WHEN guards AND NOT was.by_owner AND s.by_owner
                AND row_number() OVER (PARTITION BY s.by_owner ORDER BY s.revision DESC) = 1 THEN 1
              WHEN guards AND row_number() OVER (ORDER BY
                CASE WHEN s.created_at <= day_ago THEN 0 ELSE 1 END,
                CASE WHEN s.created_at <= day_ago THEN -s.revision ELSE s.revision END) = 1 THEN 1
              ELSE 0 END AS spared
            FROM snapshots s WHERE s.page_id = of_page) AS judged) AS placed
        WHERE place >= max_snapshots);
    END IF;
    IF (SELECT sum(s.bytes) FROM pages p JOIN snapshots s ON s.page_id = p.id WHERE p.notebook_id = of_notebook)
        > max_snapshot_bytes - old_bytes THEN
      DELETE FROM snapshots WHERE id IN (
        SELECT weighed.id FROM (
          SELECT judged.id, sum(judged.bytes) OVER (ORDER BY spared DESC, judged.created_at DESC, judged.revision DESC, judged.id
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS weight FROM (
            SELECT s.id, s.bytes, s.created_at, s.revision, CASE
              WHEN s.by_owner AND NOT p.by_owner
                AND row_number() OVER (PARTITION BY s.page_id, s.by_owner ORDER BY s.revision DESC) = 1 THEN 2
              WHEN s.created_at <= day_ago AND row_number() OVER (PARTITION BY s.page_id,
                CASE WHEN s.created_at <= day_ago THEN 0 ELSE 1 END ORDER BY s.revision DESC) = 1 THEN 1
              ELSE 0 END AS spared
            FROM snapshots s JOIN pages p ON p.id = s.page_id WHERE p.notebook_id = of_notebook) AS judged) AS weighed
        WHERE weight > max_snapshot_bytes - old_bytes);
    END IF;
    INSERT INTO snapshots (id, page_id, revision, given_title, heading, created_at, bytes, by_owner, markdown)
      SELECT new_snapshot, id, revision, given_title, heading, at_time, old_bytes, by_owner, markdown FROM pages WHERE id = of_page;
    was.snapshot_at := at_time;
  END IF;

  UPDATE pages SET given_title = coalesce(new_title, given_title), heading = coalesce(new_heading, heading),
      markdown = coalesce(new_text, markdown), revision = revision + 1, updated_at = at_time, snapshot_at = was.snapshot_at,
      by_owner = NOT guards
    WHERE id = of_page
    RETURNING given_title, heading, revision, updated_at INTO page_title, page_heading, page_revision, page_updated_at;
  UPDATE notebooks SET version = version + 1, updated_at = at_time, markdown_bytes = markdown_bytes + grows WHERE id = of_notebook;
  IF book.visibility = 'public' THEN
    INSERT INTO search_queue (page_id, notebook_id) VALUES (of_page, of_notebook)
      ON CONFLICT (page_id) DO UPDATE
        SET number = nextval(pg_get_serial_sequence('search_queue', 'number')), tries = 0, not_before = 0;
  END IF;
  kind := 'changed';
END
$$;
