-- The access token of a group, for which upstream has a column from 3.5 on; no
-- row: the group has none of its own.

-- +goose Up

CREATE TABLE xxlwheel_group (
    group_id     INTEGER NOT NULL PRIMARY KEY,
    access_token TEXT    NOT NULL
);
