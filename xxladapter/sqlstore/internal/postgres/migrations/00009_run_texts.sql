-- What runs wrote, so that it outlives their executors, and what old rows are
-- found by.

-- +goose Up

CREATE TABLE xxlwheel_log_text (
    log_id   bigint   NOT NULL PRIMARY KEY,
    body     bytea    NOT NULL, -- gzip
    size     bigint   NOT NULL, -- bytes that the executor had
    complete smallint NOT NULL, -- 0: something is missing, and note says why
    note     text
);
ALTER TABLE xxlwheel_log_text ALTER COLUMN body SET STORAGE EXTERNAL; -- compressed already

-- Texts that are still to be fetched.
CREATE TABLE xxlwheel_log_fetch (
    log_id   bigint  NOT NULL PRIMARY KEY,
    attempts integer NOT NULL,
    due_ms   bigint  NOT NULL
);
CREATE INDEX xxlwheel_log_fetch_due ON xxlwheel_log_fetch (due_ms, log_id);

CREATE INDEX xxlwheel_log_time ON xxl_job_log (trigger_time);
