-- What makes an imported file again counts as text of its notebook. Triggers, because a file also goes with its page.
UPDATE notebooks SET markdown_bytes = markdown_bytes
  + (SELECT coalesce(sum(octet_length(path) + octet_length(patch)), 0) FROM page_files WHERE notebook_id = notebooks.id)
  WHERE id IN (SELECT notebook_id FROM page_files);

CREATE TRIGGER page_files_count_added AFTER INSERT ON page_files BEGIN
  UPDATE notebooks SET markdown_bytes = markdown_bytes + octet_length(new.path) + octet_length(new.patch) WHERE id = new.notebook_id;
END;
CREATE TRIGGER page_files_count_changed AFTER UPDATE ON page_files BEGIN
  UPDATE notebooks SET markdown_bytes = markdown_bytes + octet_length(new.path) + octet_length(new.patch)
    - octet_length(old.path) - octet_length(old.patch) WHERE id = new.notebook_id;
END;
CREATE TRIGGER page_files_count_removed AFTER DELETE ON page_files BEGIN
  UPDATE notebooks SET markdown_bytes = markdown_bytes - octet_length(old.path) - octet_length(old.patch) WHERE id = old.notebook_id;
END;
