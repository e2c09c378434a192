-- What nodes tell about themselves, and how shards have changed hands.

-- +goose Up

-- ended_ms is until_ms as it was when the node's session was seen to end, and 0 if it was not.
ALTER TABLE xxlwheel_lease
    ADD COLUMN ended_ms bigint NOT NULL DEFAULT 0,
    ADD COLUMN skew_ms bigint NOT NULL DEFAULT 0,
    ADD COLUMN fast_places bigint NOT NULL DEFAULT 0,
    ADD COLUMN fast_in_flight bigint NOT NULL DEFAULT 0,
    ADD COLUMN fast_waiting bigint NOT NULL DEFAULT 0,
    ADD COLUMN slow_places bigint NOT NULL DEFAULT 0,
    ADD COLUMN slow_in_flight bigint NOT NULL DEFAULT 0,
    ADD COLUMN slow_waiting bigint NOT NULL DEFAULT 0;

CREATE TABLE xxlwheel_shard_move (
    id     bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at_ms  bigint NOT NULL,
    cause  varchar(16) NOT NULL,
    node   varchar(255) NOT NULL,
    term   bigint NOT NULL,
    shards bigint NOT NULL -- how many the term got or lost
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
