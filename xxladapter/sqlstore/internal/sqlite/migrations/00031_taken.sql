-- Where rows that were taken from databases of XXL-JOB are.

-- +goose Up

CREATE TABLE xxlwheel_taken (
    source  TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    from_id INTEGER NOT NULL, -- in the source
    to_id   INTEGER NOT NULL,
    PRIMARY KEY (source, kind, from_id)
) WITHOUT ROWID;
