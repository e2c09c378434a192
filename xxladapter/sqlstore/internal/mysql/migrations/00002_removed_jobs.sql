-- The jobs that were removed and may still have log rows, up to the id that was
-- the last one then: a database that forgets its ids may give a job's again.

-- +goose Up

CREATE TABLE xxlwheel_removed_job (
    job_id      bigint NOT NULL,
    last_log_id bigint NOT NULL,
    PRIMARY KEY (job_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
