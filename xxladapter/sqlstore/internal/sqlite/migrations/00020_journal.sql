-- What the tables have of the journal beside the file. There is one row once a
-- scheduler has used a journal.

-- +goose Up

CREATE TABLE xxlwheel_journal (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    state      TEXT    NOT NULL, -- new, open, or closed: the tables have everything
    generation INTEGER NOT NULL, -- of the journal's files
    settled    INTEGER NOT NULL, -- the last record whose results and misfires are here
    runs       INTEGER NOT NULL, -- the last record whose claimed fires and open runs are here
    plans      INTEGER NOT NULL  -- the last record whose planned fires and times of jobs are here
);
