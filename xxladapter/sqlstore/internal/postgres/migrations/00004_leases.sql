-- Several schedulers on one store: what a node claims belongs to its term.

-- +goose Up

-- The number of the last term that was issued. One row.
CREATE TABLE xxlwheel_term (
    last bigint NOT NULL
);
INSERT INTO xxlwheel_term (last) VALUES (0);

-- The leases that hold, and lapsed ones until somebody renews.
CREATE TABLE xxlwheel_lease (
    node     text   COLLATE "C" NOT NULL PRIMARY KEY,
    term     bigint NOT NULL,
    until_ms bigint NOT NULL,
    life_ms  bigint NOT NULL, -- no lease holds for longer than this from now, also when the clock was set back
    retired  bigint NOT NULL  -- 1: gets no shards
);

-- Which node plans the jobs whose id modulo 64 is the shard.
CREATE TABLE xxlwheel_shard (
    shard integer NOT NULL PRIMARY KEY,
    node  text    COLLATE "C" -- without a lease of that name the shard is free
);
INSERT INTO xxlwheel_shard (shard) SELECT generate_series(0, 63);
