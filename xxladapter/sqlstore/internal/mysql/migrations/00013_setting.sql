-- What all schedulers of a store have to agree about.

-- +goose Up

CREATE TABLE xxlwheel_setting (
    name  varchar(64) NOT NULL PRIMARY KEY,
    value varchar(255) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
