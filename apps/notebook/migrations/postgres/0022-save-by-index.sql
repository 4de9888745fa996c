-- In a small database, or one that was not analyzed yet, the planner let a save go through whole tables and hash them: more work than the
-- rest of the save, and each connection kept the plan that it made first while the tables grew. Every row that a save touches is found by an
-- index. One plan serves all texts, so none is made for each of a connection's first five saves.
-- A later migration that replaces the function must repeat this: CREATE OR REPLACE drops it.
ALTER FUNCTION save_pages_1
  SET enable_seqscan = off
  SET enable_hashjoin = off
  SET enable_mergejoin = off
  SET enable_bitmapscan = off
  SET plan_cache_mode = force_generic_plan;
