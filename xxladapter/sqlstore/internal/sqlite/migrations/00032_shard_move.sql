-- What nodes tell about themselves, and how shards have changed hands.

-- +goose Up

-- ended_ms is until_ms as it was when the node's session was seen to end, and 0 if it was not.
ALTER TABLE xxlwheel_lease ADD COLUMN ended_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN skew_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN fast_places INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN fast_in_flight INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN fast_waiting INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN slow_places INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN slow_in_flight INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN slow_waiting INTEGER NOT NULL DEFAULT 0;

CREATE TABLE xxlwheel_shard_move (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms  INTEGER NOT NULL,
    cause  TEXT NOT NULL,
    node   TEXT NOT NULL,
    term   INTEGER NOT NULL,
    shards INTEGER NOT NULL -- how many the term got or lost
);
