-- Pauses of schedules, calendars of days without work, and what they keep from firing.

-- +goose Up

CREATE TABLE xxlwheel_pause (
    id       bigint        NOT NULL AUTO_INCREMENT,
    group_id bigint        NOT NULL, -- 0 means all jobs
    note     text          NOT NULL,
    begun_by varchar(1100) NOT NULL,
    ended_by varchar(1100) NOT NULL, -- empty unless somebody ended it before its time
    from_ms  bigint        NOT NULL,
    until_ms bigint        NOT NULL, -- 0 while it has no end
    PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Calendars that people have made, as JSON.
CREATE TABLE xxlwheel_calendar (
    name       varchar(64) NOT NULL,
    content    longtext    NOT NULL,
    updated_ms bigint      NOT NULL,
    PRIMARY KEY (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The revision of the two tables above. Scans read and share the one row, and changes update it
-- first, so that a scan that begins after a change finds it.
CREATE TABLE xxlwheel_restriction (
    id       bigint NOT NULL, -- 1
    revision bigint NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO xxlwheel_restriction (id, revision) VALUES (1, 1);

-- The pause or the calendar that a misfire comes from. Neither is set for due times that were found
-- too late. A job has one misfire for each pause.
ALTER TABLE xxlwheel_misfire
    ADD COLUMN pause_id bigint,
    ADD COLUMN calendar varchar(64) NOT NULL DEFAULT '',
    ADD UNIQUE KEY xxlwheel_misfire_pause (job_id, pause_id);
