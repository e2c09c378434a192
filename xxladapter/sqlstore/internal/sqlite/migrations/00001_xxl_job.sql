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
