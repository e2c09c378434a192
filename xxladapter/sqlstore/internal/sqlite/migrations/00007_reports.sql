-- What is still to be added to the figures in xxl_job_log_report: each
-- transaction that changes the outcome of a log row adds to one slot of the
-- row's day.

-- +goose Up

CREATE TABLE xxlwheel_report (
    trigger_day   TEXT    NOT NULL,
    slot          INTEGER NOT NULL,
    running_count INTEGER NOT NULL,
    suc_count     INTEGER NOT NULL,
    fail_count    INTEGER NOT NULL,
    PRIMARY KEY (trigger_day, slot)
) WITHOUT ROWID;

INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count, update_time)
SELECT date(trigger_time) || ' 00:00:00',
       count(CASE WHEN handle_code = 0 AND trigger_code IN (0, 200) THEN 1 END),
       count(CASE WHEN handle_code = 200 THEN 1 END),
       count(CASE WHEN handle_code NOT IN (0, 200) OR handle_code = 0 AND trigger_code NOT IN (0, 200) THEN 1 END),
       datetime('now')
FROM xxl_job_log
WHERE trigger_time IS NOT NULL
GROUP BY 1;
