-- One row a job: which of its times is done, and who is at work on the next one until when (a lease).
CREATE TABLE job_runs (
  name TEXT NOT NULL PRIMARY KEY,
  -- The last time of the schedule whose run is done; 0: none yet.
  done_due INTEGER NOT NULL,
  holder TEXT,
  -- Nobody else begins a run before it: the end of a lease, or of the wait after a failed run.
  held_until INTEGER NOT NULL
) STRICT;

-- What readers told the operator. Without a foreign key: a report outlives its notebook, as a row that says which address it was.
CREATE TABLE reports (
  -- The order of arrival.
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  notebook_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX reports_of_notebook ON reports (notebook_id);
CREATE INDEX reports_by_age ON reports (created_at);

-- What a reader wrote may quote the notebook: with the notebook it goes, whatever statement makes the notebook go.
CREATE TRIGGER reports_outlive_notebook AFTER DELETE ON notebooks BEGIN
  UPDATE reports SET detail = '' WHERE notebook_id = old.id;
END;
