-- Users of the management API, what they may do, and how they prove who they are.

-- +goose Up

-- The row of a user stays when the user is removed, without password and subject, so that
-- the user of the same name in xxl_job_user is not taken over again.
CREATE TABLE xxlwheel_user (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT    NOT NULL,
    password TEXT,             -- a hash; NULL if no password signs in
    subject  TEXT,             -- at a provider of OpenID Connect
    added_ms INTEGER NOT NULL,
    removed  INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX xxlwheel_user_name ON xxlwheel_user (name);
CREATE UNIQUE INDEX xxlwheel_user_subject ON xxlwheel_user (subject);

CREATE TABLE xxlwheel_grant (
    user_id  INTEGER NOT NULL,
    group_id INTEGER NOT NULL, -- 0 means all groups
    role     TEXT    NOT NULL,
    PRIMARY KEY (user_id, group_id)
);
CREATE INDEX xxlwheel_grant_group ON xxlwheel_grant (group_id);

-- Sessions and personal tokens.
CREATE TABLE xxlwheel_credential (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    digest     TEXT    NOT NULL, -- SHA-256 of the secret
    name       TEXT,
    role       TEXT,             -- NULL does not limit
    group_ids  TEXT,             -- comma-separated; NULL means all
    address    TEXT,
    created_ms INTEGER NOT NULL,
    used_ms    INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
);
CREATE UNIQUE INDEX xxlwheel_credential_digest ON xxlwheel_credential (digest);
CREATE INDEX xxlwheel_credential_user ON xxlwheel_credential (user_id);
CREATE INDEX xxlwheel_credential_end ON xxlwheel_credential (expires_ms);
