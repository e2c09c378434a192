-- Where rows that were taken from databases of XXL-JOB are.

-- +goose Up

CREATE TABLE xxlwheel_taken (
    source  varchar(255) NOT NULL,
    kind    varchar(16)  NOT NULL,
    from_id bigint       NOT NULL, -- in the source
    to_id   bigint       NOT NULL,
    PRIMARY KEY (source, kind, from_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
