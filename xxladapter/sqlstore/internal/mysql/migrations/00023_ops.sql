-- +goose Up

-- Which jobs have a tag. The tags of a job itself are in xxlwheel_job, where a scan reads them with
-- its settings.
CREATE TABLE xxlwheel_job_tag (
    tag    varchar(64) NOT NULL,
    job_id bigint NOT NULL,
    PRIMARY KEY (tag, job_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX xxlwheel_job_tag_job ON xxlwheel_job_tag (job_id);

-- The executor addresses of a group that get no new runs.
CREATE TABLE xxlwheel_drain (
    group_id bigint NOT NULL PRIMARY KEY,
    drains   longtext NOT NULL -- JSON
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Ranges of due times that are run again, or for the first time, on request.
CREATE TABLE xxlwheel_backfill (
    id       bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    job_id   bigint NOT NULL,
    state    varchar(16) NOT NULL,
    changed  bigint NOT NULL, -- counts the changes
    progress longtext NOT NULL, -- JSON
    dues     longtext NOT NULL  -- Unix milliseconds in the order of the runs, comma-separated
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX xxlwheel_backfill_job ON xxlwheel_backfill (job_id, id);
CREATE INDEX xxlwheel_backfill_state ON xxlwheel_backfill (state);
