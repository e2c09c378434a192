-- Keys of jobs, by which declarations name them.

-- +goose Up

CREATE TABLE xxlwheel_job_key (
    job_id   INTEGER PRIMARY KEY,
    group_id INTEGER NOT NULL, -- a row counts while the job is in this group
    job_key  TEXT    NOT NULL,
    owner    TEXT              -- the declaration that the job belongs to; NULL means none
);
CREATE UNIQUE INDEX xxlwheel_job_key_name ON xxlwheel_job_key (group_id, job_key);
