-- XXL-JOB 3.4.2's own tables under their own names, with SQLite's types:
-- a datetime is TEXT 'YYYY-MM-DD HH:MM:SS' in UTC.
--
-- AUTOINCREMENT everywhere: an id must never come back, because executors
-- name their log files by log id, and jobs name their children by job id.

-- +goose Up

CREATE TABLE xxl_job_info (
    id                        INTEGER PRIMARY KEY AUTOINCREMENT,
    job_group                 INTEGER NOT NULL,
    job_desc                  TEXT    NOT NULL,
    add_time                  TEXT,
    update_time               TEXT,
    author                    TEXT,
    alarm_email               TEXT,
    schedule_type             TEXT    NOT NULL DEFAULT 'NONE',
    schedule_conf             TEXT,
    misfire_strategy          TEXT    NOT NULL DEFAULT 'DO_NOTHING',
    executor_route_strategy   TEXT,
    executor_handler          TEXT,
    executor_param            TEXT,
    executor_block_strategy   TEXT,
    executor_timeout          INTEGER NOT NULL DEFAULT 0,
    executor_fail_retry_count INTEGER NOT NULL DEFAULT 0,
    glue_type                 TEXT    NOT NULL,
    glue_source               TEXT,
    glue_remark               TEXT,
    glue_updatetime           TEXT,
    child_jobid               TEXT,
    trigger_status            INTEGER NOT NULL DEFAULT 0,
    trigger_last_time         INTEGER NOT NULL DEFAULT 0,
    trigger_next_time         INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE xxl_job_log (
    id                        INTEGER PRIMARY KEY AUTOINCREMENT,
    job_group                 INTEGER NOT NULL,
    job_id                    INTEGER NOT NULL,
    executor_address          TEXT,
    executor_handler          TEXT,
    executor_param            TEXT,
    executor_sharding_param   TEXT,
    executor_fail_retry_count INTEGER NOT NULL DEFAULT 0,
    trigger_time              TEXT,
    trigger_code              INTEGER NOT NULL,
    trigger_msg               TEXT,
    handle_time               TEXT,
    handle_code               INTEGER NOT NULL,
    handle_msg                TEXT,
    alarm_status              INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE xxl_job_log_report (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    trigger_day   TEXT,
    running_count INTEGER NOT NULL DEFAULT 0,
    suc_count     INTEGER NOT NULL DEFAULT 0,
    fail_count    INTEGER NOT NULL DEFAULT 0,
    update_time   TEXT
);
CREATE UNIQUE INDEX i_trigger_day ON xxl_job_log_report (trigger_day);

CREATE TABLE xxl_job_logglue (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id      INTEGER NOT NULL,
    glue_type   TEXT,
    glue_source TEXT,
    glue_remark TEXT    NOT NULL,
    add_time    TEXT,
    update_time TEXT
);

CREATE TABLE xxl_job_registry (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    registry_group TEXT NOT NULL,
    registry_key   TEXT NOT NULL,
    registry_value TEXT NOT NULL,
    update_time    TEXT
);
CREATE UNIQUE INDEX i_g_k_v ON xxl_job_registry (registry_group, registry_key, registry_value);

CREATE TABLE xxl_job_group (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    app_name     TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    address_type INTEGER NOT NULL DEFAULT 0,
    address_list TEXT,
    update_time  TEXT
);

CREATE TABLE xxl_job_user (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    username   TEXT    NOT NULL,
    password   TEXT    NOT NULL,
    token      TEXT,
    role       INTEGER NOT NULL,
    permission TEXT
);
CREATE UNIQUE INDEX i_username ON xxl_job_user (username);

CREATE TABLE xxl_job_lock (
    lock_name TEXT NOT NULL PRIMARY KEY
);
INSERT INTO xxl_job_lock (lock_name) VALUES ('schedule_lock');

-- Our own side tables, and the indexes that upstream's tables lack. Instants
-- named _ms are Unix milliseconds.

-- Only open fires, so the table stays small however large the log grows. AUTOINCREMENT
-- matters most here: a timer may still hold the id of a fire that is gone, and
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
    param        TEXT,              -- NULL means the job's
    addresses    TEXT,              -- comma-separated; NULL means the group's
    node         TEXT,              -- that claimed it, in which term
    log_id       INTEGER,           -- set when it is claimed
    claimed_ms   INTEGER,
    term         INTEGER NOT NULL DEFAULT 0,
    group_id     INTEGER NOT NULL DEFAULT 0 -- that of its job
);
CREATE UNIQUE INDEX xxlwheel_fire_due_of_job ON xxlwheel_fire (job_id, due_ms, shard_index);
CREATE INDEX xxlwheel_fire_due ON xxlwheel_fire (due_ms);
CREATE INDEX xxlwheel_fire_node ON xxlwheel_fire (node, term, due_ms) WHERE node IS NOT NULL;
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

CREATE INDEX xxlwheel_info_due ON xxl_job_info (trigger_status, trigger_next_time);
CREATE INDEX xxlwheel_log_job ON xxl_job_log (job_id);
CREATE INDEX xxlwheel_log_open ON xxl_job_log (id) WHERE trigger_code = 200 AND handle_code = 0;

-- A job's settings beyond upstream's columns, as JSON. A job without any has no row.
CREATE TABLE xxlwheel_job (
    job_id   INTEGER NOT NULL PRIMARY KEY,
    settings TEXT    NOT NULL
);

-- The number of the last term that was issued, in one row.
CREATE TABLE xxlwheel_term (
    last INTEGER NOT NULL
);
INSERT INTO xxlwheel_term (last) VALUES (0);

-- Leases that hold, and lapsed ones until the next renewal.
CREATE TABLE xxlwheel_lease (
    node     TEXT    NOT NULL PRIMARY KEY,
    term     INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    life_ms  INTEGER NOT NULL, -- the longest that the lease can hold from now, also after the clock was set back
    retired  INTEGER NOT NULL  -- 1 if it gets no shards
);

-- The node that plans the jobs whose id modulo 64 is the shard.
CREATE TABLE xxlwheel_shard (
    shard INTEGER NOT NULL PRIMARY KEY,
    node  TEXT    -- the shard is free if that node has no lease
);
INSERT INTO xxlwheel_shard (shard)
    WITH RECURSIVE n (shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM n WHERE shard < 63)
    SELECT shard FROM n;

-- The state of alarms beyond alarm_status.
-- One row for each job that has failed.
CREATE TABLE xxlwheel_alarm (
    job_id       INTEGER NOT NULL PRIMARY KEY,
    version      INTEGER NOT NULL DEFAULT 0,
    raised       INTEGER NOT NULL DEFAULT 0, -- 1 from an alarm until the next success
    in_a_row     INTEGER NOT NULL DEFAULT 0,
    since_log_id INTEGER NOT NULL DEFAULT 0,
    last_log_id  INTEGER NOT NULL DEFAULT 0,
    sent_ms      INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX xxlwheel_alarm_raised ON xxlwheel_alarm (job_id) WHERE raised = 1;

-- The owner and the age of each row with alarm_status -1, so that rows whose
-- owner died are found again.
CREATE TABLE xxlwheel_alarm_claim (
    log_id     INTEGER NOT NULL,
    recovered  INTEGER NOT NULL, -- 1 if the row is the success after the failures
    job_id     INTEGER NOT NULL,
    node       TEXT    NOT NULL,
    claimed_ms INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    PRIMARY KEY (log_id, recovered)
);
CREATE INDEX xxlwheel_alarm_claim_age ON xxlwheel_alarm_claim (claimed_ms, log_id);

CREATE INDEX xxlwheel_log_alarm ON xxl_job_log (id)
    WHERE alarm_status = 0 AND handle_code <> 200 AND (handle_code <> 0 OR trigger_code NOT IN (0, 200));

-- The access token of a group, for which upstream has a column after 3.4.2. A
-- group without a token of its own has no row.
CREATE TABLE xxlwheel_group (
    group_id     INTEGER NOT NULL PRIMARY KEY,
    access_token TEXT    NOT NULL
);

-- Changes of the figures in xxl_job_log_report that are not folded yet: each
-- transaction that changes the outcome of a log row adds to one slot of the row's
-- day.
CREATE TABLE xxlwheel_report (
    trigger_day   TEXT    NOT NULL,
    slot          INTEGER NOT NULL,
    running_count INTEGER NOT NULL,
    suc_count     INTEGER NOT NULL,
    fail_count    INTEGER NOT NULL,
    PRIMARY KEY (trigger_day, slot)
) WITHOUT ROWID;

-- Rows without any outcome: those being handed over, and those whose scheduler
-- ended in between.
CREATE INDEX xxlwheel_log_untold ON xxl_job_log (id) WHERE trigger_code = 0 AND handle_code = 0;

-- What runs wrote, so that it outlives their executors.
CREATE TABLE xxlwheel_log_text (
    log_id   INTEGER NOT NULL PRIMARY KEY,
    body     BLOB    NOT NULL, -- gzip
    size     INTEGER NOT NULL, -- in bytes, as the executor had it
    complete INTEGER NOT NULL, -- 0 if something is missing; note says why
    note     TEXT
);

-- Texts that have not been fetched yet.
CREATE TABLE xxlwheel_log_fetch (
    log_id   INTEGER NOT NULL PRIMARY KEY,
    attempts INTEGER NOT NULL,
    due_ms   INTEGER NOT NULL
);
CREATE INDEX xxlwheel_log_fetch_due ON xxlwheel_log_fetch (due_ms, log_id);

CREATE INDEX xxlwheel_log_time ON xxl_job_log (trigger_time);

-- Removed jobs that may still have log rows, up to the last log id at that time:
-- a database that forgets its ids may give a job's id again.
CREATE TABLE xxlwheel_removed_job (
    job_id      INTEGER NOT NULL PRIMARY KEY,
    last_log_id INTEGER NOT NULL
);

-- Triggers by operators and programs, by which their callers find the runs.
CREATE TABLE xxlwheel_order (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id     INTEGER NOT NULL,
    fire_id    INTEGER NOT NULL,
    idem_key   TEXT,            -- the caller's; NULL without one
    request    TEXT    NOT NULL,
    created_ms INTEGER NOT NULL,
    log_ids    TEXT             -- comma-separated, set when the fire is claimed
);
CREATE UNIQUE INDEX xxlwheel_order_key ON xxlwheel_order (job_id, idem_key);
CREATE INDEX xxlwheel_order_fire ON xxlwheel_order (fire_id);
CREATE INDEX xxlwheel_order_age ON xxlwheel_order (created_ms);

-- Settings on which all schedulers of a store have to agree.
CREATE TABLE xxlwheel_setting (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
