-- +goose Up

-- When each run was due and what happened to it, in Unix milliseconds. A row is written when its
-- fire is settled, and its end is added; until then the fire has the same facts. The row goes with
-- its log row. Runs of other programs have none. The room in each page lets the end be added
-- without a new entry in the index.
CREATE TABLE xxlwheel_run (
    log_id        bigint       NOT NULL PRIMARY KEY,
    due_ms        bigint       NOT NULL,
    claimed_ms    bigint       NOT NULL,
    term          bigint       NOT NULL, -- of the node that claimed the fire
    attempt       integer      NOT NULL, -- 1 for the first
    shard_index   integer      NOT NULL,
    shard_total   integer      NOT NULL,
    trigger_type  varchar(50)  NOT NULL,
    node          varchar(255) NOT NULL,
    parent_log_id bigint,                -- the run that this one retries or follows
    taken_by      varchar(255),          -- the node that took the claimed fire over
    taken_ms      bigint,
    sent_ms       bigint,                -- when the request left
    acked_ms      bigint,                -- when the executor answered
    finished_ms   bigint                 -- when the result arrived
) WITH (fillfactor = 70);

ALTER TABLE xxlwheel_fire ADD COLUMN attempt integer NOT NULL DEFAULT 0; -- 0 counts as 1
ALTER TABLE xxlwheel_fire ADD COLUMN parent_log_id bigint NOT NULL DEFAULT 0;
UPDATE xxlwheel_fire SET attempt = 2 WHERE trigger_type = 'RETRY';
