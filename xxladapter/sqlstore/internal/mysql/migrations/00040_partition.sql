-- The partitions of jobs have one word in the tables, the API and the code; a shard is a run of a
-- sharding broadcast. A scheduler of an older version that still runs can neither scan nor renew its
-- lease from here on, so it plans nothing more, and its lease lapses.

-- +goose Up

ALTER TABLE xxlwheel_shard
    CHANGE COLUMN shard partition_id int NOT NULL,
    RENAME TO xxlwheel_partition;

ALTER TABLE xxlwheel_shard_move
    CHANGE COLUMN shards partitions bigint NOT NULL,
    RENAME TO xxlwheel_partition_move;
