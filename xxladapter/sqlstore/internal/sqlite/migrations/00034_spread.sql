-- Where other nodes reach a node, and what it has spread of the fires that a leader planned.

-- +goose Up

ALTER TABLE xxlwheel_lease ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE xxlwheel_lease ADD COLUMN spread TEXT NOT NULL DEFAULT '';
ALTER TABLE xxlwheel_lease ADD COLUMN spread_sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN spread_received INTEGER NOT NULL DEFAULT 0;
ALTER TABLE xxlwheel_lease ADD COLUMN spread_kept INTEGER NOT NULL DEFAULT 0;
