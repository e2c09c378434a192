-- The misfires of a job by their time, for a timeline.

-- +goose Up

-- One index has the order of pages and the time, which is filtered without reading rows. An index
-- that begins with the time would be one more to write for each misfire, when there are many.
ALTER TABLE xxlwheel_misfire
    DROP KEY xxlwheel_misfire_job,
    ADD KEY xxlwheel_misfire_job (job_id, id, due_ms, until_ms);
