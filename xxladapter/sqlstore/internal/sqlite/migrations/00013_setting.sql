-- What all schedulers of a store have to agree about.

-- +goose Up

CREATE TABLE xxlwheel_setting (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
