-- +goose Up

-- Who changed what. The rows form a chain: each has the hash of the row before.
CREATE TABLE xxlwheel_audit (
    id            INTEGER NOT NULL PRIMARY KEY, -- without gaps
    at_ms         INTEGER NOT NULL,
    actor_kind    TEXT    NOT NULL,
    actor_name    TEXT    NOT NULL,
    actor_address TEXT    NOT NULL,
    called        TEXT    NOT NULL, -- method and path of the call
    object_kind   TEXT    NOT NULL,
    object_id     INTEGER NOT NULL,
    object_name   TEXT    NOT NULL,
    job_id        INTEGER NOT NULL, -- 0 if it belongs to no job
    group_id      INTEGER NOT NULL,
    changes       TEXT    NOT NULL, -- JSON
    previous_hash TEXT    NOT NULL,
    hash          TEXT    NOT NULL
);
CREATE INDEX xxlwheel_audit_time ON xxlwheel_audit (at_ms);
CREATE INDEX xxlwheel_audit_actor ON xxlwheel_audit (actor_name, id);
CREATE INDEX xxlwheel_audit_object ON xxlwheel_audit (object_kind, object_id, id);
CREATE INDEX xxlwheel_audit_job ON xxlwheel_audit (job_id, id);
CREATE INDEX xxlwheel_audit_group ON xxlwheel_audit (group_id, id);

-- The ends of the chain. Each appending transaction locks the one row.
CREATE TABLE xxlwheel_audit_end (
    id          INTEGER NOT NULL PRIMARY KEY, -- 1
    anchor_id   INTEGER NOT NULL, -- the newest row that was deleted because of its age
    anchor_hash TEXT    NOT NULL, -- empty if there is none
    last_id     INTEGER NOT NULL,
    last_hash   TEXT    NOT NULL
);
INSERT INTO xxlwheel_audit_end (id, anchor_id, anchor_hash, last_id, last_hash) VALUES (1, 0, '', 0, '');

-- The states of jobs, from one edit to the next.
CREATE TABLE xxlwheel_job_version (
    job_id        INTEGER NOT NULL,
    number        INTEGER NOT NULL, -- from 1
    at_ms         INTEGER NOT NULL, -- when it took effect
    updated_ms    INTEGER NOT NULL, -- the job's update_time
    actor_kind    TEXT    NOT NULL,
    actor_name    TEXT    NOT NULL,
    actor_address TEXT    NOT NULL,
    called        TEXT    NOT NULL, -- empty for a state that another program has left
    state         TEXT    NOT NULL, -- JSON
    PRIMARY KEY (job_id, number)
) WITHOUT ROWID;
CREATE INDEX xxlwheel_job_version_age ON xxlwheel_job_version (at_ms);
