-- Where other nodes reach a node, and what it has spread of the fires that a leader planned.

-- +goose Up

ALTER TABLE xxlwheel_lease
    ADD COLUMN address text NOT NULL DEFAULT '',
    ADD COLUMN spread text NOT NULL DEFAULT '',
    ADD COLUMN spread_sent bigint NOT NULL DEFAULT 0,
    ADD COLUMN spread_received bigint NOT NULL DEFAULT 0,
    ADD COLUMN spread_kept bigint NOT NULL DEFAULT 0;
