-- +goose Up

-- When each run was due and what happened to it, in Unix milliseconds. A row is written when its
-- fire is settled, and its end is added; until then the fire has the same facts. The row goes with
-- its log row. Runs of other programs have none.
CREATE TABLE xxlwheel_run (
    log_id        bigint       NOT NULL,
    due_ms        bigint       NOT NULL,
    trigger_type  varchar(50)  NOT NULL,
    attempt       int          NOT NULL, -- 1 for the first
    parent_log_id bigint,                -- the run that this one retries or follows
    shard_index   int          NOT NULL,
    shard_total   int          NOT NULL,
    node          varchar(255) NOT NULL, -- that claimed the fire, in which term
    term          bigint       NOT NULL,
    claimed_ms    bigint       NOT NULL,
    taken_by      varchar(255),          -- the node that took the claimed fire over
    taken_ms      bigint,
    sent_ms       bigint,                -- when the request left
    acked_ms      bigint,                -- when the executor answered
    finished_ms   bigint,                -- when the result arrived
    PRIMARY KEY (log_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

ALTER TABLE xxlwheel_fire ADD COLUMN attempt int NOT NULL DEFAULT 0; -- 0 counts as 1
ALTER TABLE xxlwheel_fire ADD COLUMN parent_log_id bigint NOT NULL DEFAULT 0;
UPDATE xxlwheel_fire SET attempt = 2 WHERE trigger_type = 'RETRY';
