-- Our own side tables, and the indexes that upstream's tables lack. Instants
-- named _ms are Unix milliseconds.

-- +goose Up

-- Open fires only, so it stays small whatever the log grows to. AUTOINCREMENT
-- matters here most: a timer may still hold the id of a fire that has left, and
-- must not claim another one by it.
CREATE TABLE xxlwheel_fire (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id       INTEGER NOT NULL,
    due_ms       INTEGER NOT NULL,
    shard_index  INTEGER NOT NULL,
    shard_total  INTEGER NOT NULL,
    trigger_type TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    retry_count  INTEGER NOT NULL,
    param        TEXT,              -- NULL: the job's
    addresses    TEXT,              -- comma separated; NULL: the group's
    node         TEXT,              -- who claimed it
    log_id       INTEGER,           -- since it is claimed
    claimed_ms   INTEGER
);
CREATE UNIQUE INDEX xxlwheel_fire_due_of_job ON xxlwheel_fire (job_id, due_ms, shard_index);
CREATE INDEX xxlwheel_fire_due ON xxlwheel_fire (due_ms);
CREATE INDEX xxlwheel_fire_node ON xxlwheel_fire (node, due_ms) WHERE node IS NOT NULL;
CREATE UNIQUE INDEX xxlwheel_fire_log ON xxlwheel_fire (log_id) WHERE log_id IS NOT NULL;

CREATE TABLE xxlwheel_misfire (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id   INTEGER NOT NULL,
    due_ms   INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    policy   TEXT    NOT NULL,
    at_ms    INTEGER NOT NULL
);
CREATE INDEX xxlwheel_misfire_job ON xxlwheel_misfire (job_id);

CREATE TABLE xxlwheel_node (
    node    TEXT    NOT NULL PRIMARY KEY,
    beat_ms INTEGER NOT NULL
);

CREATE INDEX xxlwheel_info_due ON xxl_job_info (trigger_status, trigger_next_time);
CREATE INDEX xxlwheel_log_job ON xxl_job_log (job_id);
CREATE INDEX xxlwheel_log_open ON xxl_job_log (id) WHERE trigger_code = 200 AND handle_code = 0;
