-- The partitions of jobs have one word in the tables, the API and the code; a shard is a run of a
-- sharding broadcast. A scheduler of an older version that still runs can neither scan nor renew its
-- lease from here on, so it plans nothing more, and its lease lapses.

-- +goose Up

ALTER TABLE xxlwheel_shard RENAME TO xxlwheel_partition;
ALTER TABLE xxlwheel_partition RENAME COLUMN shard TO partition_id;
ALTER INDEX xxlwheel_shard_pkey RENAME TO xxlwheel_partition_pkey;

ALTER TABLE xxlwheel_shard_move RENAME TO xxlwheel_partition_move;
ALTER TABLE xxlwheel_partition_move RENAME COLUMN shards TO partitions;
ALTER INDEX xxlwheel_shard_move_pkey RENAME TO xxlwheel_partition_move_pkey;
ALTER SEQUENCE xxlwheel_shard_move_id_seq RENAME TO xxlwheel_partition_move_id_seq;
