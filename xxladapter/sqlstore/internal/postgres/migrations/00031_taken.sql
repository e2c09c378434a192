-- Where rows that were taken from databases of XXL-JOB are.

-- +goose Up

CREATE TABLE xxlwheel_taken (
    source  text   NOT NULL,
    kind    text   NOT NULL,
    from_id bigint NOT NULL, -- in the source
    to_id   bigint NOT NULL,
    PRIMARY KEY (source, kind, from_id)
);
