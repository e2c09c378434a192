-- The misfires of a job by their time, for a timeline.

-- +goose Up

-- One index has the order of pages and the time, which is filtered without reading rows. An index
-- that begins with the time would be one more to write for each misfire, when there are many.
DROP INDEX xxlwheel_misfire_job;
CREATE INDEX xxlwheel_misfire_job ON xxlwheel_misfire (job_id, id, due_ms, until_ms);

-- Only misfires of pauses are unique; no other one has an entry.
DROP INDEX xxlwheel_misfire_pause;
CREATE UNIQUE INDEX xxlwheel_misfire_pause ON xxlwheel_misfire (job_id, pause_id) WHERE pause_id IS NOT NULL;
