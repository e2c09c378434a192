-- +goose Up

-- Figures of runs by hour, group and job. Histograms are varints, see Histogram.Bytes.
CREATE TABLE xxlwheel_stat (
    of_group  smallint    NOT NULL, -- 1 for the sum of a group
    hour      bigint      NOT NULL, -- of the trigger time, in hours since 1970
    job_id    bigint      NOT NULL, -- 0 in the sum of a group
    group_id  bigint      NOT NULL, -- that the log rows name
    success   bigint      NOT NULL,
    failed    bigint      NOT NULL,
    timeout   bigint      NOT NULL,
    killed    bigint      NOT NULL,
    lost      bigint      NOT NULL,
    not_sent  bigint      NOT NULL,
    durations bytea       NOT NULL,
    lateness  bytea       NOT NULL,
    PRIMARY KEY (of_group, hour, job_id, group_id)
);
CREATE INDEX xxlwheel_stat_job ON xxlwheel_stat (job_id, hour);

-- How far the log is counted, in one row.
CREATE TABLE xxlwheel_stat_mark (
    id        bigint      NOT NULL PRIMARY KEY, -- 1
    turn      bigint      NOT NULL, -- grows with each change of these tables
    folded_id bigint      NOT NULL, -- rows up to this one were counted, or are in xxlwheel_stat_open
    next_id   bigint      NOT NULL, -- the last row of the log at next_ms
    next_ms   bigint      NOT NULL, -- when next_id was set
    open_id   bigint      NOT NULL  -- the last row of xxlwheel_stat_open that was looked at
);
INSERT INTO xxlwheel_stat_mark (id, turn, folded_id, next_id, next_ms, open_id) VALUES (1, 0, 0, 0, 0, 0);

-- Rows whose result was open when they were looked at, with the result by which they are counted so
-- far.
CREATE TABLE xxlwheel_stat_open (
    log_id    bigint      NOT NULL PRIMARY KEY,
    counted   varchar(16) NOT NULL -- empty if they are not counted
);

-- The result of each job's newest counted run that has one.
CREATE TABLE xxlwheel_last_result (
    job_id    bigint      NOT NULL PRIMARY KEY,
    log_id    bigint      NOT NULL,
    result    varchar(16) NOT NULL
);
CREATE INDEX xxlwheel_last_result_is ON xxlwheel_last_result (result, job_id);
