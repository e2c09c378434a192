-- The jobs that were removed and may still have log rows, up to the id that was
-- the last one then: a database that forgets its ids may give a job's again.

-- +goose Up

CREATE TABLE xxlwheel_removed_job (
    job_id      INTEGER NOT NULL PRIMARY KEY,
    last_log_id INTEGER NOT NULL
);
