-- Which nodes plan all jobs or none.

-- +goose Up

-- leads is 0 if the term is in the mode "all". In the mode "leader" it is at least 1, and stands
-- for what an elector last said.
ALTER TABLE xxlwheel_lease ADD COLUMN leads bigint NOT NULL DEFAULT 0;
