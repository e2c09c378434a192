-- What is remembered of alarms beside alarm_status.

-- +goose Up

-- One row for each job that has failed.
CREATE TABLE xxlwheel_alarm (
    job_id       INTEGER NOT NULL PRIMARY KEY,
    version      INTEGER NOT NULL DEFAULT 0,
    raised       INTEGER NOT NULL DEFAULT 0, -- 1: an alarm without a success after it
    in_a_row     INTEGER NOT NULL DEFAULT 0,
    since_log_id INTEGER NOT NULL DEFAULT 0,
    last_log_id  INTEGER NOT NULL DEFAULT 0,
    sent_ms      INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX xxlwheel_alarm_raised ON xxlwheel_alarm (job_id) WHERE raised = 1;

-- The owner and the age of each row that is at alarm_status -1, so that one
-- whose owner died is found again.
CREATE TABLE xxlwheel_alarm_claim (
    log_id     INTEGER NOT NULL,
    recovered  INTEGER NOT NULL, -- 1: the row is the success after the failures
    job_id     INTEGER NOT NULL,
    node       TEXT    NOT NULL,
    claimed_ms INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    PRIMARY KEY (log_id, recovered)
);
CREATE INDEX xxlwheel_alarm_claim_age ON xxlwheel_alarm_claim (claimed_ms, log_id);

CREATE INDEX xxlwheel_log_alarm ON xxl_job_log (id)
    WHERE alarm_status = 0 AND handle_code <> 200 AND (handle_code <> 0 OR trigger_code NOT IN (0, 200));
