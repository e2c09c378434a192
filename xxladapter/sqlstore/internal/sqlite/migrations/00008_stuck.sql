-- Rows without an outcome of either kind: those being handed over, and those
-- whose scheduler ended in between.

-- +goose Up

CREATE INDEX xxlwheel_log_untold ON xxl_job_log (id) WHERE trigger_code = 0 AND handle_code = 0;
