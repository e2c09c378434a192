-- What a job is told beyond upstream's columns, as JSON; no row: nothing.

-- +goose Up

CREATE TABLE xxlwheel_job (
    job_id   INTEGER NOT NULL PRIMARY KEY,
    settings TEXT    NOT NULL
);
