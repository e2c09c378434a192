-- What the tables have of the log in Redis. There is one row once a scheduler
-- has used Redis.

-- +goose Up

CREATE TABLE xxlwheel_redis (
    id         bigint NOT NULL PRIMARY KEY CHECK (id = 1),
    state      text NOT NULL, -- new, open, or closed: the tables have everything
    store      text NOT NULL, -- a part of the names of the keys in Redis
    generation bigint NOT NULL, -- counts how often the log was begun anew
    pen        bigint NOT NULL, -- of the process that may write what follows
    settled    bigint NOT NULL, -- the last record whose results and misfires are here
    runs       bigint NOT NULL, -- the last record whose claimed fires and open runs are here
    plans      bigint NOT NULL, -- the last record whose planned fires and times of jobs are here
    fire       bigint NOT NULL, -- the last id that a fire has got
    log        bigint NOT NULL, -- the last id that a log row has got
    at_ms      bigint NOT NULL, -- when the tables last followed
    doubt_ms   bigint NOT NULL, -- due times up to then may have been sent: the log was lost; 0 if it never was
    run        text NOT NULL, -- the server's process, if it may lose what it has confirmed
    turn       bigint NOT NULL  -- counts the changes of this row
);
