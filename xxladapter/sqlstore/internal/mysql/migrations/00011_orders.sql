-- Triggers by operators and programs, so that their callers find the runs.

-- +goose Up

CREATE TABLE xxlwheel_order (
    id         bigint       NOT NULL AUTO_INCREMENT,
    job_id     bigint       NOT NULL,
    fire_id    bigint       NOT NULL,
    idem_key   varchar(128),          -- the caller's; NULL: none
    request    varchar(64)  NOT NULL,
    created_ms bigint       NOT NULL,
    log_ids    mediumtext,            -- comma separated, since the fire is claimed
    PRIMARY KEY (id),
    UNIQUE KEY xxlwheel_order_key (job_id, idem_key),
    KEY xxlwheel_order_fire (fire_id),
    KEY xxlwheel_order_age (created_ms)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
