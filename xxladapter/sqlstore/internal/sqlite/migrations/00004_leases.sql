-- Several schedulers on one store: what a node claims belongs to its term.

-- +goose Up

-- 0 is no term: what was claimed before this migration is taken over.
ALTER TABLE xxlwheel_fire ADD COLUMN term INTEGER NOT NULL DEFAULT 0;
DROP INDEX xxlwheel_fire_node;
CREATE INDEX xxlwheel_fire_node ON xxlwheel_fire (node, term, due_ms) WHERE node IS NOT NULL;

DROP TABLE xxlwheel_node;

-- The number of the last term that was issued. One row.
CREATE TABLE xxlwheel_term (
    last INTEGER NOT NULL
);
INSERT INTO xxlwheel_term (last) VALUES (0);

-- The leases that hold, and lapsed ones until somebody renews.
CREATE TABLE xxlwheel_lease (
    node     TEXT    NOT NULL PRIMARY KEY,
    term     INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    life_ms  INTEGER NOT NULL, -- no lease holds for longer than this from now, also when the clock was set back
    retired  INTEGER NOT NULL  -- 1: gets no shards
);

-- Which node plans the jobs whose id modulo 64 is the shard.
CREATE TABLE xxlwheel_shard (
    shard INTEGER NOT NULL PRIMARY KEY,
    node  TEXT    -- without a lease of that name the shard is free
);
INSERT INTO xxlwheel_shard (shard)
    WITH RECURSIVE n (shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM n WHERE shard < 63)
    SELECT shard FROM n;
