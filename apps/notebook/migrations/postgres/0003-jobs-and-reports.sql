-- One row a job: which of its times is done, and who is at work on the next one until when (a lease).
CREATE TABLE job_runs (
  name text PRIMARY KEY,
  -- The last time of the schedule whose run is done; 0: none yet.
  done_due bigint NOT NULL,
  holder text,
  -- Nobody else begins a run before it: the end of a lease, or of the wait after a failed run.
  held_until bigint NOT NULL
);

-- What readers told the operator. Without a foreign key: a report outlives its notebook, as a row that says which address it was.
CREATE TABLE reports (
  -- The order of arrival.
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  notebook_id text NOT NULL,
  slug text NOT NULL,
  reason text NOT NULL,
  detail text NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX reports_of_notebook ON reports (notebook_id);
CREATE INDEX reports_by_age ON reports (created_at);

-- What a reader wrote may quote the notebook: with the notebook it goes, whatever statement makes the notebook go.
CREATE FUNCTION reports_outlive_notebook() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE reports SET detail = '' WHERE notebook_id = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER reports_outlive_notebook AFTER DELETE ON notebooks FOR EACH ROW EXECUTE FUNCTION reports_outlive_notebook();
