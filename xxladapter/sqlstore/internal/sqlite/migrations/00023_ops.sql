-- +goose Up

-- Which jobs have a tag. The tags of a job itself are in xxlwheel_job, where a scan reads them with
-- its settings.
CREATE TABLE xxlwheel_job_tag (
    tag    TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    PRIMARY KEY (tag, job_id)
);
CREATE INDEX xxlwheel_job_tag_job ON xxlwheel_job_tag (job_id);

-- The executor addresses of a group that get no new runs.
CREATE TABLE xxlwheel_drain (
    group_id INTEGER NOT NULL PRIMARY KEY,
    drains   TEXT NOT NULL -- JSON
);

-- Ranges of due times that are run again, or for the first time, on request.
CREATE TABLE xxlwheel_backfill (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id   INTEGER NOT NULL,
    state    TEXT NOT NULL,
    changed  INTEGER NOT NULL, -- counts the changes
    progress TEXT NOT NULL, -- JSON
    dues     TEXT NOT NULL  -- Unix milliseconds in the order of the runs, comma-separated
);
CREATE INDEX xxlwheel_backfill_job ON xxlwheel_backfill (job_id, id);
CREATE INDEX xxlwheel_backfill_state ON xxlwheel_backfill (state);
