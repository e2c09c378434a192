-- +goose Up

-- When each run was due and what happened to it, in Unix milliseconds. A row is written when its
-- fire is settled, and its end is added; until then the fire has the same facts. The row goes with
-- its log row. Runs of other programs have none.
CREATE TABLE xxlwheel_run (
    log_id        INTEGER NOT NULL PRIMARY KEY,
    due_ms        INTEGER NOT NULL,
    trigger_type  TEXT    NOT NULL,
    attempt       INTEGER NOT NULL, -- 1 for the first
    parent_log_id INTEGER,          -- the run that this one retries or follows
    shard_index   INTEGER NOT NULL,
    shard_total   INTEGER NOT NULL,
    node          TEXT    NOT NULL, -- that claimed the fire, in which term
    term          INTEGER NOT NULL,
    claimed_ms    INTEGER NOT NULL,
    taken_by      TEXT,             -- the node that took the claimed fire over
    taken_ms      INTEGER,
    sent_ms       INTEGER,          -- when the request left
    acked_ms      INTEGER,          -- when the executor answered
    finished_ms   INTEGER           -- when the result arrived
);

ALTER TABLE xxlwheel_fire ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0; -- 0 counts as 1
ALTER TABLE xxlwheel_fire ADD COLUMN parent_log_id INTEGER NOT NULL DEFAULT 0;
UPDATE xxlwheel_fire SET attempt = 2 WHERE trigger_type = 'RETRY';
