-- Keys of jobs, by which declarations name them.

-- +goose Up

CREATE TABLE xxlwheel_job_key (
    job_id   bigint      NOT NULL,
    group_id bigint      NOT NULL, -- a row counts while the job is in this group
    job_key  varchar(64) NOT NULL,
    owner    varchar(64),          -- the declaration that the job belongs to; NULL means none
    PRIMARY KEY (job_id),
    UNIQUE KEY xxlwheel_job_key_name (group_id, job_key)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
