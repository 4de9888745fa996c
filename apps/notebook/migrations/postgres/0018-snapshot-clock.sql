-- As 0016, but for one condition: a newest snapshot that is further ahead than an auto-save waits was made by a clock that was wrong, and
-- keeps no auto-save from making one (src/model/snapshot.ts). In place, because processes of either version may call it.
CREATE OR REPLACE FUNCTION save_pages_1(
  -- One element for each save; in the order of their rate slots, so that two calls never wait for each other.
  notebook_ids text[], page_ids text[],
  -- The edit token's hash; NULL: a visitor writes.
  token_hashes text[],
  -- NULL: stays as it is.
  new_titles text[], new_headings text[], new_texts text[],
  -- NULL: the last writer wins.
  expected_revisions integer[],
  -- The time of the newest snapshot from which on an auto-save makes none; NULL: no auto-save.
  autosaves_since bigint[],
  new_snapshots text[], times bigint[],
  -- NULL: nothing is counted.
  slot_names text[], slot_keys text[], slot_maxes integer[], slot_ends bigint[],
  max_bytes bigint, max_snapshot_bytes bigint, max_snapshots integer,
  -- False: what another transaction holds is answered `busy`, and keeps nobody else waiting.
  waits boolean)
RETURNS TABLE (place integer, kind text, slot_full_until bigint,
  page_position integer, page_title text, page_heading text, page_revision integer, page_updated_at bigint,
  -- NULL: the text that was sent.
  page_text text)
LANGUAGE plpgsql AS $$
DECLARE
  uses integer;
  was record;
  held record;
  of_notebook text;
  of_page text;
  new_text text;
  at_time bigint;
  day_ago bigint;
  grows bigint;
  -- A visitor's save spares what the owner needs to undo it.
  guards boolean;
BEGIN
  -- All slots before any notebook: who holds a slot may wait for a notebook, and nobody the other way around.
  FOR i IN 1 .. cardinality(page_ids) LOOP
    CONTINUE WHEN slot_names[i] IS NULL;
    INSERT INTO rate_slots AS slot (name, key, used, ends_at) VALUES (slot_names[i], slot_keys[i], 1, slot_ends[i])
      ON CONFLICT (name, key) DO UPDATE SET
        used = CASE WHEN slot.ends_at <= times[i] THEN 1 ELSE slot.used + 1 END,
        ends_at = CASE WHEN slot.ends_at <= times[i] OR slot.ends_at > slot_ends[i] THEN excluded.ends_at ELSE slot.ends_at END
        WHERE slot.used < slot_maxes[i] OR slot.ends_at <= times[i] OR slot.ends_at > slot_ends[i]
      RETURNING slot.used INTO uses;
    IF uses IS NULL OR uses > slot_maxes[i] THEN
      place := i;
      kind := 'rate_limited';
      SELECT ends_at INTO slot_full_until FROM rate_slots WHERE name = slot_names[i] AND key = slot_keys[i];
      RETURN NEXT;
      page_ids[i] := NULL;
    END IF;
  END LOOP;
  slot_full_until := NULL;

  FOR i IN 1 .. cardinality(page_ids) LOOP
    of_page := page_ids[i];
    CONTINUE WHEN of_page IS NULL;
    of_notebook := notebook_ids[i];
    place := i;
    kind := NULL;
    page_text := NULL;
    guards := token_hashes[i] IS NULL;

    -- Whoever else writes to this notebook waits here. Both rows are locked, and so both are read as they stand once the lock is there.
    IF waits THEN
      SELECT n.edit_token_hash, n.taken_down_at, n.open_editing, n.read_only, n.visibility, n.markdown_bytes, p.position, p.given_title,
          p.heading, p.revision, p.updated_at, p.snapshot_at, p.by_owner, p.markdown, octet_length(p.markdown) AS bytes INTO was
        FROM notebooks n JOIN pages p ON p.notebook_id = n.id
        WHERE n.id = of_notebook AND p.id = of_page FOR NO KEY UPDATE;
      IF NOT FOUND THEN
        SELECT n.edit_token_hash, n.taken_down_at, n.open_editing, n.read_only, n.visibility, n.markdown_bytes, p.position, p.given_title,
            p.heading, p.revision, p.updated_at, p.snapshot_at, p.by_owner, p.markdown, octet_length(p.markdown) AS bytes INTO was
          FROM notebooks n LEFT JOIN pages p ON false
          WHERE n.id = of_notebook FOR NO KEY UPDATE OF n;
      END IF;
    ELSE
      SELECT n.edit_token_hash, n.taken_down_at, n.open_editing, n.read_only, n.visibility, n.markdown_bytes, p.position, p.given_title,
          p.heading, p.revision, p.updated_at, p.snapshot_at, p.by_owner, p.markdown, octet_length(p.markdown) AS bytes INTO was
        FROM notebooks n JOIN pages p ON p.notebook_id = n.id
        WHERE n.id = of_notebook AND p.id = of_page FOR NO KEY UPDATE SKIP LOCKED;
      IF NOT FOUND THEN
        kind := 'busy';
        RETURN NEXT;
        CONTINUE;
      END IF;
    END IF;
    IF was.edit_token_hash IS NULL OR was.taken_down_at IS NOT NULL OR (NOT guards AND token_hashes[i] <> was.edit_token_hash) THEN
      kind := 'gone';
    ELSIF guards AND NOT was.open_editing THEN
      kind := 'not_allowed';
    ELSIF was.read_only THEN
      kind := 'read_only';
    ELSIF was.revision IS NULL THEN
      kind := 'page_missing';
    END IF;
    IF kind IS NOT NULL THEN
      RETURN NEXT;
      CONTINUE;
    END IF;

    new_text := new_texts[i];
    at_time := times[i];
    page_position := was.position;
    page_title := was.given_title;
    page_heading := was.heading;
    page_revision := was.revision;
    page_updated_at := was.updated_at;
    grows := coalesce(octet_length(new_text), was.bytes) - was.bytes;
    IF expected_revisions[i] <> was.revision THEN
      kind := 'stale';
    ELSIF coalesce(new_titles[i] = was.given_title, true) AND coalesce(new_text = was.markdown, true) THEN
      kind := 'unchanged';
    ELSIF grows > 0 AND was.markdown_bytes + grows > max_bytes THEN
      kind := 'notebook_too_large';
    END IF;
    IF kind IS NOT NULL OR new_text IS NULL THEN
      -- Read here, before another save of this call replaces it.
      page_text := was.markdown || '';
    END IF;
    IF kind IS NOT NULL THEN
      RETURN NEXT;
      CONTINUE;
    END IF;

    -- The owner's text under a visitor's is kept whatever the clock says.
    IF autosaves_since[i] IS NULL OR was.snapshot_at IS NULL OR was.snapshot_at < autosaves_since[i]
        OR was.snapshot_at > times[i] + (times[i] - autosaves_since[i]) OR (guards AND was.by_owner) THEN
      SELECT coalesce(sum(s.bytes), 0) AS weight, count(*) FILTER (WHERE s.page_id = of_page) AS count,
          min(s.revision) FILTER (WHERE s.page_id = of_page) AS oldest INTO held
        FROM pages p JOIN snapshots s ON s.page_id = p.id WHERE p.notebook_id = of_notebook;
      IF held.count = max_snapshots AND NOT guards AND held.weight <= max_snapshot_bytes - was.bytes THEN
        -- What everybody does all the time: the one that leaves is written over, and its page need not be looked up as a key.
        UPDATE snapshots SET id = new_snapshots[i], revision = was.revision, given_title = was.given_title, heading = was.heading,
            created_at = at_time, bytes = was.bytes, by_owner = was.by_owner, markdown = was.markdown
          WHERE page_id = of_page AND revision = held.oldest;
      ELSE
        day_ago := at_time - 86400000;
        IF held.count >= max_snapshots THEN
          -- As in src/store/pages/snapshot-room.ts.
          DELETE FROM snapshots WHERE id IN (
            SELECT placed.id FROM (
              SELECT judged.id, row_number() OVER (ORDER BY spared DESC, judged.revision DESC) AS rank FROM (
                SELECT s.id, s.revision, CASE
                  WHEN guards AND NOT was.by_owner AND s.by_owner
                    AND row_number() OVER (PARTITION BY s.by_owner ORDER BY s.revision DESC) = 1 THEN 1
                  WHEN guards AND row_number() OVER (ORDER BY
                    CASE WHEN s.created_at <= day_ago THEN 0 ELSE 1 END,
                    CASE WHEN s.created_at <= day_ago THEN -s.revision ELSE s.revision END) = 1 THEN 1
                  ELSE 0 END AS spared
                FROM snapshots s WHERE s.page_id = of_page) AS judged) AS placed
            WHERE placed.rank >= max_snapshots);
        END IF;
        -- More than what is left now, perhaps: then nothing is found to go.
        IF held.weight > max_snapshot_bytes - was.bytes THEN
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
            WHERE weighed.weight > max_snapshot_bytes - was.bytes);
        END IF;
        INSERT INTO snapshots (id, page_id, revision, given_title, heading, created_at, bytes, by_owner, markdown)
          VALUES (new_snapshots[i], of_page, was.revision, was.given_title, was.heading, at_time, was.bytes, was.by_owner, was.markdown);
      END IF;
      was.snapshot_at := at_time;
    END IF;

    page_title := coalesce(new_titles[i], was.given_title);
    page_heading := coalesce(new_headings[i], was.heading);
    page_revision := was.revision + 1;
    page_updated_at := at_time;
    UPDATE pages SET given_title = page_title, heading = page_heading, markdown = coalesce(new_text, markdown), revision = page_revision,
        updated_at = at_time, snapshot_at = was.snapshot_at, by_owner = NOT guards
      WHERE id = of_page;
    UPDATE notebooks SET version = version + 1, updated_at = at_time, markdown_bytes = markdown_bytes + grows WHERE id = of_notebook;
    IF was.visibility = 'public' THEN
      INSERT INTO search_queue (page_id, notebook_id) VALUES (of_page, of_notebook)
        ON CONFLICT (page_id) DO UPDATE
          SET number = nextval(pg_get_serial_sequence('search_queue', 'number')), tries = 0, not_before = 0;
    END IF;
    kind := 'changed';
    RETURN NEXT;
  END LOOP;
END
$$;
