-- What is still to be added to the figures in xxl_job_log_report: each
-- transaction that changes the outcome of a log row adds to one slot of the
-- row's day.

-- +goose Up

CREATE TABLE xxlwheel_report (
    trigger_day   timestamp(0) NOT NULL,
    slot          integer      NOT NULL,
    running_count integer      NOT NULL,
    suc_count     integer      NOT NULL,
    fail_count    integer      NOT NULL,
    PRIMARY KEY (trigger_day, slot)
);
