-- What runs wrote, so that it outlives their executors, and what old rows are
-- found by.

-- +goose Up

CREATE TABLE xxlwheel_log_text (
    log_id   INTEGER NOT NULL PRIMARY KEY,
    body     BLOB    NOT NULL, -- gzip
    size     INTEGER NOT NULL, -- bytes that the executor had
    complete INTEGER NOT NULL, -- 0: something is missing, and note says why
    note     TEXT
);

-- Texts that are still to be fetched.
CREATE TABLE xxlwheel_log_fetch (
    log_id   INTEGER NOT NULL PRIMARY KEY,
    attempts INTEGER NOT NULL,
    due_ms   INTEGER NOT NULL
);
CREATE INDEX xxlwheel_log_fetch_due ON xxlwheel_log_fetch (due_ms, log_id);

CREATE INDEX xxlwheel_log_time ON xxl_job_log (trigger_time);
