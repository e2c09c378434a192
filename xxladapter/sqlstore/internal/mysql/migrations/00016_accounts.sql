-- Users of the management API, what they may do, and how they prove who they are.

-- +goose Up

-- The row of a user stays when the user is removed, without password and subject, so that
-- the user of the same name in xxl_job_user is not taken over again.
CREATE TABLE xxlwheel_user (
    id       bigint       NOT NULL AUTO_INCREMENT,
    name     varchar(50)  NOT NULL,
    password varchar(255),          -- a hash; NULL if no password signs in
    subject  varchar(255),          -- at a provider of OpenID Connect
    added_ms bigint       NOT NULL,
    removed  tinyint      NOT NULL DEFAULT 0,
    PRIMARY KEY (id),
    UNIQUE KEY xxlwheel_user_name (name),
    UNIQUE KEY xxlwheel_user_subject (subject)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE xxlwheel_grant (
    user_id  bigint      NOT NULL,
    group_id bigint      NOT NULL, -- 0 means all groups
    role     varchar(20) NOT NULL,
    PRIMARY KEY (user_id, group_id),
    KEY xxlwheel_grant_group (group_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Sessions and personal tokens.
CREATE TABLE xxlwheel_credential (
    id         bigint      NOT NULL AUTO_INCREMENT,
    user_id    bigint      NOT NULL,
    kind       varchar(20) NOT NULL,
    digest     char(64)    NOT NULL, -- SHA-256 of the secret
    name       varchar(64),
    role       varchar(20),          -- NULL does not limit
    group_ids  mediumtext,           -- comma-separated; NULL means all
    address    varchar(64),
    created_ms bigint      NOT NULL,
    used_ms    bigint      NOT NULL,
    expires_ms bigint      NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY xxlwheel_credential_digest (digest),
    KEY xxlwheel_credential_user (user_id),
    KEY xxlwheel_credential_end (expires_ms)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
