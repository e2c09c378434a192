-- +goose Up

-- Figures of runs by hour, group and job. Histograms are varints, see Histogram.Bytes.
CREATE TABLE xxlwheel_stat (
    of_group  INTEGER NOT NULL, -- 1 for the sum of a group
    hour      INTEGER NOT NULL, -- of the trigger time, in hours since 1970
    job_id    INTEGER NOT NULL, -- 0 in the sum of a group
    group_id  INTEGER NOT NULL, -- that the log rows name
    success   INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    timeout   INTEGER NOT NULL,
    killed    INTEGER NOT NULL,
    lost      INTEGER NOT NULL,
    not_sent  INTEGER NOT NULL,
    durations BLOB    NOT NULL,
    lateness  BLOB    NOT NULL,
    PRIMARY KEY (of_group, hour, job_id, group_id)
) WITHOUT ROWID;
CREATE INDEX xxlwheel_stat_job ON xxlwheel_stat (job_id, hour);

-- How far the log is counted, in one row.
CREATE TABLE xxlwheel_stat_mark (
    id        INTEGER NOT NULL PRIMARY KEY, -- 1
    turn      INTEGER NOT NULL, -- grows with each change of these tables
    folded_id INTEGER NOT NULL, -- rows up to this one were counted, or are in xxlwheel_stat_open
    next_id   INTEGER NOT NULL, -- the last row of the log at next_ms
    next_ms   INTEGER NOT NULL, -- when next_id was set
    open_id   INTEGER NOT NULL  -- the last row of xxlwheel_stat_open that was looked at
);
INSERT INTO xxlwheel_stat_mark (id, turn, folded_id, next_id, next_ms, open_id) VALUES (1, 0, 0, 0, 0, 0);

-- Rows whose result was open when they were looked at, with the result by which they are counted so
-- far.
CREATE TABLE xxlwheel_stat_open (
    log_id  INTEGER NOT NULL PRIMARY KEY,
    counted TEXT    NOT NULL -- empty if they are not counted
);

-- The result of each job's newest counted run that has one.
CREATE TABLE xxlwheel_last_result (
    job_id INTEGER NOT NULL PRIMARY KEY,
    log_id INTEGER NOT NULL,
    result TEXT    NOT NULL
);
CREATE INDEX xxlwheel_last_result_is ON xxlwheel_last_result (result, job_id);
