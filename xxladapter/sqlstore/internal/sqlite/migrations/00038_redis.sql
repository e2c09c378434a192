-- What the tables have of the log in Redis. There is one row once a scheduler
-- has used Redis.

-- +goose Up

CREATE TABLE xxlwheel_redis (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    state      TEXT NOT NULL, -- new, open, or closed: the tables have everything
    store      TEXT NOT NULL, -- a part of the names of the keys in Redis
    generation INTEGER NOT NULL, -- counts how often the log was begun anew
    pen        INTEGER NOT NULL, -- of the process that may write what follows
    settled    INTEGER NOT NULL, -- the last record whose results and misfires are here
    runs       INTEGER NOT NULL, -- the last record whose claimed fires and open runs are here
    plans      INTEGER NOT NULL, -- the last record whose planned fires and times of jobs are here
    fire       INTEGER NOT NULL, -- the last id that a fire has got
    log        INTEGER NOT NULL, -- the last id that a log row has got
    at_ms      INTEGER NOT NULL, -- when the tables last followed
    doubt_ms   INTEGER NOT NULL, -- due times up to then may have been sent: the log was lost; 0 if it never was
    run        TEXT NOT NULL, -- the server's process, if it may lose what it has confirmed
    turn       INTEGER NOT NULL  -- counts the changes of this row
);
