-- What a job is told beyond upstream's columns, as JSON; no row: nothing.

-- +goose Up

CREATE TABLE xxlwheel_job (
    job_id   bigint NOT NULL PRIMARY KEY,
    settings text   NOT NULL
);
