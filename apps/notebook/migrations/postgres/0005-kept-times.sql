-- Times that must be known after a restart: when the clock was last believed, and since when it is doubted. One more row is written over
-- again and again to prove that writing works.
CREATE TABLE kept_times (
  name text PRIMARY KEY,
  -- Milliseconds since 1970 UTC.
  at bigint NOT NULL
);
