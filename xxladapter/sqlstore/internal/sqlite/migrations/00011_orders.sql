-- Triggers by operators and programs, so that their callers find the runs.

-- +goose Up

CREATE TABLE xxlwheel_order (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id     INTEGER NOT NULL,
    fire_id    INTEGER NOT NULL,
    idem_key   TEXT,            -- the caller's; NULL: none
    request    TEXT    NOT NULL,
    created_ms INTEGER NOT NULL,
    log_ids    TEXT             -- comma separated, since the fire is claimed
);
CREATE UNIQUE INDEX xxlwheel_order_key ON xxlwheel_order (job_id, idem_key);
CREATE INDEX xxlwheel_order_fire ON xxlwheel_order (fire_id);
CREATE INDEX xxlwheel_order_age ON xxlwheel_order (created_ms);
