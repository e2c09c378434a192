// Package cron reads the cron expressions of Quartz and XXL-JOB and computes
// the times they stand for.
package cron
