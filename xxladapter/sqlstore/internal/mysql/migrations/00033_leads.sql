-- Which nodes plan all jobs or none.

-- +goose Up

-- leads is 1 if the term is in the mode "leader", and 0 if it is in the mode "all".
ALTER TABLE xxlwheel_lease ADD COLUMN leads bigint NOT NULL DEFAULT 0;
