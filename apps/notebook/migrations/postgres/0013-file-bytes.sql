-- What makes an imported file again counts as text of its notebook. A trigger, because a file also goes with its page.
UPDATE notebooks SET markdown_bytes = markdown_bytes
  + (SELECT coalesce(sum(octet_length(path) + octet_length(patch)), 0) FROM page_files WHERE notebook_id = notebooks.id)
  WHERE id IN (SELECT notebook_id FROM page_files);

CREATE FUNCTION page_file_is_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  more bigint := 0;
BEGIN
  IF TG_OP <> 'DELETE' THEN
    more := octet_length(NEW.path) + octet_length(NEW.patch);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    more := more - octet_length(OLD.path) - octet_length(OLD.patch);
  END IF;
  UPDATE notebooks SET markdown_bytes = markdown_bytes + more WHERE id = coalesce(NEW.notebook_id, OLD.notebook_id);
  RETURN NULL;
END
$$;
CREATE TRIGGER page_files_are_counted AFTER INSERT OR UPDATE OR DELETE ON page_files
  FOR EACH ROW EXECUTE FUNCTION page_file_is_counted();
