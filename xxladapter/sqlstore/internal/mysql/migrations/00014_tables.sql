-- Our own side tables beside XXL-JOB's, which stay as they are. Instants named
-- _ms are Unix milliseconds.

-- +goose Up

-- Only open fires, so the table stays small however large the log grows.
CREATE TABLE xxlwheel_fire (
    id           bigint      NOT NULL AUTO_INCREMENT,
    job_id       bigint      NOT NULL,
    due_ms       bigint      NOT NULL,
    shard_index  int         NOT NULL,
    shard_total  int         NOT NULL,
    trigger_type varchar(50) NOT NULL,
    state        varchar(20) NOT NULL,
    retry_count  int         NOT NULL,
    param        mediumtext,          -- NULL means the job's
    addresses    mediumtext,          -- comma-separated; NULL means the group's
    node         varchar(255),        -- that claimed it, in which term
    term         bigint      NOT NULL DEFAULT 0,
    log_id       bigint,              -- set when it is claimed
    claimed_ms   bigint,
    group_id     bigint      NOT NULL DEFAULT 0, -- that of its job
    PRIMARY KEY (id),
    UNIQUE KEY xxlwheel_fire_due_of_job (job_id, due_ms, shard_index),
    UNIQUE KEY xxlwheel_fire_log (log_id),
    KEY xxlwheel_fire_due (due_ms),
    KEY xxlwheel_fire_node (node, term, due_ms)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE xxlwheel_misfire (
    id       bigint      NOT NULL AUTO_INCREMENT,
    job_id   bigint      NOT NULL,
    due_ms   bigint      NOT NULL,
    until_ms bigint      NOT NULL,
    policy   varchar(50) NOT NULL,
    at_ms    bigint      NOT NULL,
    PRIMARY KEY (id),
    KEY xxlwheel_misfire_job (job_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A job's settings beyond upstream's columns, as JSON. A job without any has no row.
CREATE TABLE xxlwheel_job (
    job_id   bigint     NOT NULL,
    settings mediumtext NOT NULL,
    PRIMARY KEY (job_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The access token of a group, for which upstream has a column after 3.4.2.
-- A group without a token of its own has no row.
CREATE TABLE xxlwheel_group (
    group_id     bigint       NOT NULL,
    access_token varchar(255) NOT NULL,
    PRIMARY KEY (group_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row for each app name that was ever registered or got a group. It is locked
-- while the app's addresses change.
CREATE TABLE xxlwheel_app (
    app_name varchar(255) NOT NULL,
    PRIMARY KEY (app_name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The number of the last term that was issued, in one row.
CREATE TABLE xxlwheel_term (
    id   int    NOT NULL DEFAULT 1,
    last bigint NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO xxlwheel_term (last) VALUES (0);

-- Leases that hold, and lapsed ones until the next renewal.
CREATE TABLE xxlwheel_lease (
    node     varchar(255) NOT NULL,
    term     bigint       NOT NULL,
    until_ms bigint       NOT NULL,
    life_ms  bigint       NOT NULL, -- the longest that the lease can hold from now, also after the clock was set back
    retired  tinyint      NOT NULL, -- 1 if its shards are free and it only settles what it has claimed
    PRIMARY KEY (node)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The node that plans the jobs whose id modulo 64 is the shard.
CREATE TABLE xxlwheel_shard (
    shard int NOT NULL,
    node  varchar(255), -- the shard is free if that node has no lease
    PRIMARY KEY (shard)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO xxlwheel_shard (shard) VALUES
    (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15),
    (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31),
    (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (45), (46), (47),
    (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63);

-- The state of alarms beyond alarm_status: one row for each job that has failed.
CREATE TABLE xxlwheel_alarm (
    job_id       bigint  NOT NULL,
    version      bigint  NOT NULL DEFAULT 0,
    raised       tinyint NOT NULL DEFAULT 0, -- 1 from an alarm until the next success
    in_a_row     int     NOT NULL DEFAULT 0,
    since_log_id bigint  NOT NULL DEFAULT 0,
    last_log_id  bigint  NOT NULL DEFAULT 0,
    sent_ms      bigint  NOT NULL DEFAULT 0,
    PRIMARY KEY (job_id),
    KEY xxlwheel_alarm_raised (raised, job_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The owner and the age of each row with alarm_status -1, so that rows whose
-- owner died are found again.
CREATE TABLE xxlwheel_alarm_claim (
    log_id     bigint       NOT NULL,
    recovered  tinyint      NOT NULL, -- 1 if the row is the success after the failures
    job_id     bigint       NOT NULL,
    node       varchar(255) NOT NULL,
    claimed_ms bigint       NOT NULL,
    attempts   int          NOT NULL,
    PRIMARY KEY (log_id, recovered),
    KEY xxlwheel_alarm_claim_age (claimed_ms, log_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Changes of the figures in xxl_job_log_report that are not folded yet: each
-- transaction that changes the outcome of a log row adds to one slot of the row's
-- day.
CREATE TABLE xxlwheel_report (
    trigger_day   datetime NOT NULL,
    slot          int      NOT NULL,
    running_count int      NOT NULL,
    suc_count     int      NOT NULL,
    fail_count    int      NOT NULL,
    PRIMARY KEY (trigger_day, slot)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What runs wrote, so that it outlives their executors.
CREATE TABLE xxlwheel_log_text (
    log_id   bigint   NOT NULL,
    body     longblob NOT NULL, -- gzip
    size     bigint   NOT NULL, -- in bytes, as the executor had it
    complete tinyint  NOT NULL, -- 0 if something is missing; note says why
    note     text,
    PRIMARY KEY (log_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Texts that have not been fetched yet.
CREATE TABLE xxlwheel_log_fetch (
    log_id   bigint NOT NULL,
    attempts int    NOT NULL,
    due_ms   bigint NOT NULL,
    PRIMARY KEY (log_id),
    KEY xxlwheel_log_fetch_due (due_ms, log_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Removed jobs that may still have log rows, up to the last log id at that time:
-- a database that forgets its ids may give a job's id again.
CREATE TABLE xxlwheel_removed_job (
    job_id      bigint NOT NULL,
    last_log_id bigint NOT NULL,
    PRIMARY KEY (job_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Triggers by operators and programs, by which their callers find the runs.
CREATE TABLE xxlwheel_order (
    id         bigint       NOT NULL AUTO_INCREMENT,
    job_id     bigint       NOT NULL,
    fire_id    bigint       NOT NULL,
    idem_key   varchar(128),          -- the caller's; NULL without one
    request    varchar(64)  NOT NULL,
    created_ms bigint       NOT NULL,
    log_ids    mediumtext,            -- comma-separated, set when the fire is claimed
    PRIMARY KEY (id),
    UNIQUE KEY xxlwheel_order_key (job_id, idem_key),
    KEY xxlwheel_order_fire (fire_id),
    KEY xxlwheel_order_age (created_ms)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Settings on which all schedulers of a store have to agree.
CREATE TABLE xxlwheel_setting (
    name  varchar(64) NOT NULL PRIMARY KEY,
    value varchar(255) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
