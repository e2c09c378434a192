-- The group of a fire's job, by which fires queue for their executor app.

-- +goose Up

ALTER TABLE xxlwheel_fire ADD COLUMN group_id bigint NOT NULL DEFAULT 0;
UPDATE xxlwheel_fire SET group_id = COALESCE((SELECT job_group FROM xxl_job_info WHERE xxl_job_info.id = xxlwheel_fire.job_id), 0);
