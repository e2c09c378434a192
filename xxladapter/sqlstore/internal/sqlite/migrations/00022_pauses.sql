-- Pauses of schedules, calendars of days without work, and what they keep from firing.

-- +goose Up

CREATE TABLE xxlwheel_pause (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id INTEGER NOT NULL, -- 0 means all jobs
    note     TEXT    NOT NULL,
    begun_by TEXT    NOT NULL,
    ended_by TEXT    NOT NULL, -- empty unless somebody ended it before its time
    from_ms  INTEGER NOT NULL,
    until_ms INTEGER NOT NULL  -- 0 while it has no end
);

-- Calendars that people have made, as JSON.
CREATE TABLE xxlwheel_calendar (
    name       TEXT    NOT NULL PRIMARY KEY,
    content    TEXT    NOT NULL,
    updated_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- The revision of the two tables above. Scans read the one row, and changes update it first, so that
-- a scan that begins after a change finds it.
CREATE TABLE xxlwheel_restriction (
    id       INTEGER NOT NULL PRIMARY KEY, -- 1
    revision INTEGER NOT NULL
);
INSERT INTO xxlwheel_restriction (id, revision) VALUES (1, 1);

-- The pause or the calendar that a misfire comes from. Neither is set for due times that were found
-- too late. A job has one misfire for each pause.
ALTER TABLE xxlwheel_misfire ADD COLUMN pause_id INTEGER;
ALTER TABLE xxlwheel_misfire ADD COLUMN calendar TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX xxlwheel_misfire_pause ON xxlwheel_misfire (job_id, pause_id);
