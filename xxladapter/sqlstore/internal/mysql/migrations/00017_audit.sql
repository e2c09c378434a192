-- +goose Up

-- Who changed what. The rows form a chain: each has the hash of the row before.
CREATE TABLE xxlwheel_audit (
    id            bigint        NOT NULL, -- without gaps
    at_ms         bigint        NOT NULL,
    actor_kind    varchar(32)   NOT NULL,
    actor_name    varchar(1020) NOT NULL,
    actor_address varchar(255)  NOT NULL,
    called        varchar(255)  NOT NULL, -- method and path of the call
    object_kind   varchar(32)   NOT NULL,
    object_id     bigint        NOT NULL,
    object_name   varchar(1020) NOT NULL,
    job_id        bigint        NOT NULL, -- 0 if it belongs to no job
    group_id      bigint        NOT NULL,
    changes       longtext      NOT NULL, -- JSON
    previous_hash varchar(64)   NOT NULL,
    hash          varchar(64)   NOT NULL,
    PRIMARY KEY (id),
    KEY xxlwheel_audit_time (at_ms),
    KEY xxlwheel_audit_actor (actor_name(64), id),
    KEY xxlwheel_audit_object (object_kind, object_id, id),
    KEY xxlwheel_audit_job (job_id, id),
    KEY xxlwheel_audit_group (group_id, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The ends of the chain. Each appending transaction locks the one row.
CREATE TABLE xxlwheel_audit_end (
    id          bigint      NOT NULL, -- 1
    anchor_id   bigint      NOT NULL, -- the newest row that was deleted because of its age
    anchor_hash varchar(64) NOT NULL, -- empty if there is none
    last_id     bigint      NOT NULL,
    last_hash   varchar(64) NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO xxlwheel_audit_end (id, anchor_id, anchor_hash, last_id, last_hash) VALUES (1, 0, '', 0, '');

-- The states of jobs, from one edit to the next.
CREATE TABLE xxlwheel_job_version (
    job_id        bigint        NOT NULL,
    number        bigint        NOT NULL, -- from 1
    at_ms         bigint        NOT NULL, -- when it took effect
    updated_ms    bigint        NOT NULL, -- the job's update_time
    actor_kind    varchar(32)   NOT NULL,
    actor_name    varchar(1020) NOT NULL,
    actor_address varchar(255)  NOT NULL,
    called        varchar(255)  NOT NULL, -- empty for a state that another program has left
    state         longtext      NOT NULL, -- JSON
    PRIMARY KEY (job_id, number),
    KEY xxlwheel_job_version_age (at_ms)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
