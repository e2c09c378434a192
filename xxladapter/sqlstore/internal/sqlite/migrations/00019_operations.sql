-- +goose Up

-- By this index, observers find the jobs that were changed in the last seconds.
CREATE INDEX xxlwheel_info_updated ON xxl_job_info (update_time);
