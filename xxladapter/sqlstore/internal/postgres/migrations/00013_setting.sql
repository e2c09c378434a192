-- What all schedulers of a store have to agree about.

-- +goose Up

CREATE TABLE xxlwheel_setting (
    name  text NOT NULL PRIMARY KEY,
    value text NOT NULL
);
