PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE xxlwheel_schema (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO xxlwheel_schema VALUES(1,0,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(2,1,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(3,2,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(4,3,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(5,4,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(6,5,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(7,6,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(8,7,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(9,8,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(10,9,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(11,10,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(12,11,1,'2026-11-22 14:50:59');
INSERT INTO xxlwheel_schema VALUES(13,13,1,'2026-11-22 14:50:59');
CREATE TABLE xxl_job_info (
    id                        INTEGER PRIMARY KEY AUTOINCREMENT,
    job_group                 INTEGER NOT NULL,
    job_desc                  TEXT    NOT NULL,
    add_time                  TEXT,
    update_time               TEXT,
    author                    TEXT,
    alarm_email               TEXT,
    schedule_type             TEXT    NOT NULL DEFAULT 'NONE',
    schedule_conf             TEXT,
    misfire_strategy          TEXT    NOT NULL DEFAULT 'DO_NOTHING',
    executor_route_strategy   TEXT,
    executor_handler          TEXT,
    executor_param            TEXT,
    executor_block_strategy   TEXT,
    executor_timeout          INTEGER NOT NULL DEFAULT 0,
    executor_fail_retry_count INTEGER NOT NULL DEFAULT 0,
    glue_type                 TEXT    NOT NULL,
    glue_source               TEXT,
    glue_remark               TEXT,
    glue_updatetime           TEXT,
    child_jobid               TEXT,
    trigger_status            INTEGER NOT NULL DEFAULT 0,
    trigger_last_time         INTEGER NOT NULL DEFAULT 0,
    trigger_next_time         INTEGER NOT NULL DEFAULT 0
);
INSERT INTO xxl_job_info VALUES(1,1,'nightly','2026-03-01 12:00:00','2026-03-01 12:00:01','','','CRON','0 0 2 * * ?','','','nightly','','',0,0,'','','','2026-03-01 12:00:00','',1,1772370000000,1772456400000);
INSERT INTO xxl_job_info VALUES(2,2,'by hand','2026-03-01 12:00:00','2026-03-01 12:00:00','','','','','','','hand','','',0,0,'','','','2026-03-01 12:00:00','',0,0,0);
CREATE TABLE xxl_job_log (
    id                        INTEGER PRIMARY KEY AUTOINCREMENT,
    job_group                 INTEGER NOT NULL,
    job_id                    INTEGER NOT NULL,
    executor_address          TEXT,
    executor_handler          TEXT,
    executor_param            TEXT,
    executor_sharding_param   TEXT,
    executor_fail_retry_count INTEGER NOT NULL DEFAULT 0,
    trigger_time              TEXT,
    trigger_code              INTEGER NOT NULL,
    trigger_msg               TEXT,
    handle_time               TEXT,
    handle_code               INTEGER NOT NULL,
    handle_msg                TEXT,
    alarm_status              INTEGER NOT NULL DEFAULT 0
);
INSERT INTO xxl_job_log VALUES(1,1,1,NULL,'nightly','',NULL,0,'2026-03-01 12:00:00',200,'sent','2026-03-01 12:00:00',500,'it failed',-1);
INSERT INTO xxl_job_log VALUES(2,2,2,NULL,'hand','',NULL,0,'2026-03-01 11:59:00',0,NULL,NULL,0,NULL,0);
CREATE TABLE xxl_job_log_report (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    trigger_day   TEXT,
    running_count INTEGER NOT NULL DEFAULT 0,
    suc_count     INTEGER NOT NULL DEFAULT 0,
    fail_count    INTEGER NOT NULL DEFAULT 0,
    update_time   TEXT
);
INSERT INTO xxl_job_log_report VALUES(1,'2026-03-01 00:00:00',1,0,1,'2026-03-01 12:00:00');
CREATE TABLE xxl_job_logglue (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id      INTEGER NOT NULL,
    glue_type   TEXT,
    glue_source TEXT,
    glue_remark TEXT    NOT NULL,
    add_time    TEXT,
    update_time TEXT
);
CREATE TABLE xxl_job_registry (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    registry_group TEXT NOT NULL,
    registry_key   TEXT NOT NULL,
    registry_value TEXT NOT NULL,
    update_time    TEXT
);
INSERT INTO xxl_job_registry VALUES(1,'EXECUTOR','other-app','http://10.0.0.2:9999/','2026-03-01 12:00:00');
CREATE TABLE xxl_job_group (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    app_name     TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    address_type INTEGER NOT NULL DEFAULT 0,
    address_list TEXT,
    update_time  TEXT
);
INSERT INTO xxl_job_group VALUES(1,'older-app','older',1,'http://10.0.0.1:9999/','2026-03-01 12:00:00');
INSERT INTO xxl_job_group VALUES(2,'other-app','other',0,'http://10.0.0.2:9999/','2026-03-01 12:00:00');
CREATE TABLE xxl_job_user (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    username   TEXT    NOT NULL,
    password   TEXT    NOT NULL,
    token      TEXT,
    role       INTEGER NOT NULL,
    permission TEXT
);
CREATE TABLE xxl_job_lock (
    lock_name TEXT NOT NULL PRIMARY KEY
);
INSERT INTO xxl_job_lock VALUES('schedule_lock');
CREATE TABLE xxlwheel_fire (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id       INTEGER NOT NULL,
    due_ms       INTEGER NOT NULL,
    shard_index  INTEGER NOT NULL,
    shard_total  INTEGER NOT NULL,
    trigger_type TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    retry_count  INTEGER NOT NULL,
    param        TEXT,              -- NULL: the job's
    addresses    TEXT,              -- comma separated; NULL: the group's
    node         TEXT,              -- who claimed it
    log_id       INTEGER,           -- since it is claimed
    claimed_ms   INTEGER
, term INTEGER NOT NULL DEFAULT 0);
INSERT INTO xxlwheel_fire VALUES(2,1,1772366460000,0,0,'CRON','planned',0,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO xxlwheel_fire VALUES(3,1,1772366401000,0,0,'RETRY','planned',2,NULL,'http://10.0.0.1:9999/',NULL,NULL,NULL,0);
INSERT INTO xxlwheel_fire VALUES(4,2,1772366340000,0,1,'API','claimed',0,NULL,NULL,'n1',2,1772366400000,1);
INSERT INTO xxlwheel_fire VALUES(5,1,1772370000000,0,0,'CRON','planned',0,NULL,NULL,NULL,NULL,NULL,0);
CREATE TABLE xxlwheel_misfire (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id   INTEGER NOT NULL,
    due_ms   INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    policy   TEXT    NOT NULL,
    at_ms    INTEGER NOT NULL
);
INSERT INTO xxlwheel_misfire VALUES(1,1,1772366400000,1772366460000,'DO_NOTHING',1772366400000);
CREATE TABLE xxlwheel_job (
    job_id   INTEGER NOT NULL PRIMARY KEY,
    settings TEXT    NOT NULL
);
INSERT INTO xxlwheel_job VALUES(1,'{"keepLogs":"FAILURES"}');
CREATE TABLE xxlwheel_term (
    last INTEGER NOT NULL
);
INSERT INTO xxlwheel_term VALUES(1);
CREATE TABLE xxlwheel_lease (
    node     TEXT    NOT NULL PRIMARY KEY,
    term     INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    life_ms  INTEGER NOT NULL, -- no lease holds for longer than this from now, also when the clock was set back
    retired  INTEGER NOT NULL  -- 1: gets no shards
);
INSERT INTO xxlwheel_lease VALUES('n1',1,1775966400000,3600000000,0);
CREATE TABLE xxlwheel_shard (
    shard INTEGER NOT NULL PRIMARY KEY,
    node  TEXT    -- without a lease of that name the shard is free
);
INSERT INTO xxlwheel_shard VALUES(0,'n1');
INSERT INTO xxlwheel_shard VALUES(1,'n1');
INSERT INTO xxlwheel_shard VALUES(2,'n1');
INSERT INTO xxlwheel_shard VALUES(3,'n1');
INSERT INTO xxlwheel_shard VALUES(4,'n1');
INSERT INTO xxlwheel_shard VALUES(5,'n1');
INSERT INTO xxlwheel_shard VALUES(6,'n1');
INSERT INTO xxlwheel_shard VALUES(7,'n1');
INSERT INTO xxlwheel_shard VALUES(8,'n1');
INSERT INTO xxlwheel_shard VALUES(9,'n1');
INSERT INTO xxlwheel_shard VALUES(10,'n1');
INSERT INTO xxlwheel_shard VALUES(11,'n1');
INSERT INTO xxlwheel_shard VALUES(12,'n1');
INSERT INTO xxlwheel_shard VALUES(13,'n1');
INSERT INTO xxlwheel_shard VALUES(14,'n1');
INSERT INTO xxlwheel_shard VALUES(15,'n1');
INSERT INTO xxlwheel_shard VALUES(16,'n1');
INSERT INTO xxlwheel_shard VALUES(17,'n1');
INSERT INTO xxlwheel_shard VALUES(18,'n1');
INSERT INTO xxlwheel_shard VALUES(19,'n1');
INSERT INTO xxlwheel_shard VALUES(20,'n1');
INSERT INTO xxlwheel_shard VALUES(21,'n1');
INSERT INTO xxlwheel_shard VALUES(22,'n1');
INSERT INTO xxlwheel_shard VALUES(23,'n1');
INSERT INTO xxlwheel_shard VALUES(24,'n1');
INSERT INTO xxlwheel_shard VALUES(25,'n1');
INSERT INTO xxlwheel_shard VALUES(26,'n1');
INSERT INTO xxlwheel_shard VALUES(27,'n1');
INSERT INTO xxlwheel_shard VALUES(28,'n1');
INSERT INTO xxlwheel_shard VALUES(29,'n1');
INSERT INTO xxlwheel_shard VALUES(30,'n1');
INSERT INTO xxlwheel_shard VALUES(31,'n1');
INSERT INTO xxlwheel_shard VALUES(32,'n1');
INSERT INTO xxlwheel_shard VALUES(33,'n1');
INSERT INTO xxlwheel_shard VALUES(34,'n1');
INSERT INTO xxlwheel_shard VALUES(35,'n1');
INSERT INTO xxlwheel_shard VALUES(36,'n1');
INSERT INTO xxlwheel_shard VALUES(37,'n1');
INSERT INTO xxlwheel_shard VALUES(38,'n1');
INSERT INTO xxlwheel_shard VALUES(39,'n1');
INSERT INTO xxlwheel_shard VALUES(40,'n1');
INSERT INTO xxlwheel_shard VALUES(41,'n1');
INSERT INTO xxlwheel_shard VALUES(42,'n1');
INSERT INTO xxlwheel_shard VALUES(43,'n1');
INSERT INTO xxlwheel_shard VALUES(44,'n1');
INSERT INTO xxlwheel_shard VALUES(45,'n1');
INSERT INTO xxlwheel_shard VALUES(46,'n1');
INSERT INTO xxlwheel_shard VALUES(47,'n1');
INSERT INTO xxlwheel_shard VALUES(48,'n1');
INSERT INTO xxlwheel_shard VALUES(49,'n1');
INSERT INTO xxlwheel_shard VALUES(50,'n1');
INSERT INTO xxlwheel_shard VALUES(51,'n1');
INSERT INTO xxlwheel_shard VALUES(52,'n1');
INSERT INTO xxlwheel_shard VALUES(53,'n1');
INSERT INTO xxlwheel_shard VALUES(54,'n1');
INSERT INTO xxlwheel_shard VALUES(55,'n1');
INSERT INTO xxlwheel_shard VALUES(56,'n1');
INSERT INTO xxlwheel_shard VALUES(57,'n1');
INSERT INTO xxlwheel_shard VALUES(58,'n1');
INSERT INTO xxlwheel_shard VALUES(59,'n1');
INSERT INTO xxlwheel_shard VALUES(60,'n1');
INSERT INTO xxlwheel_shard VALUES(61,'n1');
INSERT INTO xxlwheel_shard VALUES(62,'n1');
INSERT INTO xxlwheel_shard VALUES(63,'n1');
CREATE TABLE xxlwheel_alarm (
    job_id       INTEGER NOT NULL PRIMARY KEY,
    version      INTEGER NOT NULL DEFAULT 0,
    raised       INTEGER NOT NULL DEFAULT 0, -- 1: an alarm without a success after it
    in_a_row     INTEGER NOT NULL DEFAULT 0,
    since_log_id INTEGER NOT NULL DEFAULT 0,
    last_log_id  INTEGER NOT NULL DEFAULT 0,
    sent_ms      INTEGER NOT NULL DEFAULT 0
);
INSERT INTO xxlwheel_alarm VALUES(1,1,1,1,1,1,1772366400000);
CREATE TABLE xxlwheel_alarm_claim (
    log_id     INTEGER NOT NULL,
    recovered  INTEGER NOT NULL, -- 1: the row is the success after the failures
    job_id     INTEGER NOT NULL,
    node       TEXT    NOT NULL,
    claimed_ms INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    PRIMARY KEY (log_id, recovered)
);
INSERT INTO xxlwheel_alarm_claim VALUES(1,0,1,'n1',1772366400000,1);
CREATE TABLE xxlwheel_group (
    group_id     INTEGER NOT NULL PRIMARY KEY,
    access_token TEXT    NOT NULL
);
INSERT INTO xxlwheel_group VALUES(1,'s3cret');
CREATE TABLE xxlwheel_report (
    trigger_day   TEXT    NOT NULL,
    slot          INTEGER NOT NULL,
    running_count INTEGER NOT NULL,
    suc_count     INTEGER NOT NULL,
    fail_count    INTEGER NOT NULL,
    PRIMARY KEY (trigger_day, slot)
) WITHOUT ROWID;
CREATE TABLE xxlwheel_log_text (
    log_id   INTEGER NOT NULL PRIMARY KEY,
    body     BLOB    NOT NULL, -- gzip
    size     INTEGER NOT NULL, -- bytes that the executor had
    complete INTEGER NOT NULL, -- 0: something is missing, and note says why
    note     TEXT
);
INSERT INTO xxlwheel_log_text VALUES(1,X'1f8b08000000000004ff001200edff6c696e65206f6e650a6c696e652074776f0a010000ffff8bd7f47512000000',18,1,'');
CREATE TABLE xxlwheel_log_fetch (
    log_id   INTEGER NOT NULL PRIMARY KEY,
    attempts INTEGER NOT NULL,
    due_ms   INTEGER NOT NULL
);
CREATE TABLE xxlwheel_removed_job (
    job_id      INTEGER NOT NULL PRIMARY KEY,
    last_log_id INTEGER NOT NULL
);
CREATE TABLE xxlwheel_order (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id     INTEGER NOT NULL,
    fire_id    INTEGER NOT NULL,
    idem_key   TEXT,            -- the caller's; NULL: none
    request    TEXT    NOT NULL,
    created_ms INTEGER NOT NULL,
    log_ids    TEXT             -- comma separated, since the fire is claimed
);
INSERT INTO xxlwheel_order VALUES(1,2,4,'key-1','request',1772366400000,'2');
CREATE TABLE xxlwheel_setting (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
INSERT INTO xxlwheel_setting VALUES('zone','Asia/Shanghai');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('xxlwheel_schema',13);
INSERT INTO sqlite_sequence VALUES('xxl_job_log_report',1);
INSERT INTO sqlite_sequence VALUES('xxl_job_group',2);
INSERT INTO sqlite_sequence VALUES('xxl_job_registry',1);
INSERT INTO sqlite_sequence VALUES('xxl_job_info',2);
INSERT INTO sqlite_sequence VALUES('xxlwheel_fire',5);
INSERT INTO sqlite_sequence VALUES('xxl_job_log',2);
INSERT INTO sqlite_sequence VALUES('xxlwheel_order',1);
INSERT INTO sqlite_sequence VALUES('xxlwheel_misfire',1);
CREATE UNIQUE INDEX i_trigger_day ON xxl_job_log_report (trigger_day);
CREATE UNIQUE INDEX i_g_k_v ON xxl_job_registry (registry_group, registry_key, registry_value);
CREATE UNIQUE INDEX i_username ON xxl_job_user (username);
CREATE UNIQUE INDEX xxlwheel_fire_due_of_job ON xxlwheel_fire (job_id, due_ms, shard_index);
CREATE INDEX xxlwheel_fire_due ON xxlwheel_fire (due_ms);
CREATE UNIQUE INDEX xxlwheel_fire_log ON xxlwheel_fire (log_id) WHERE log_id IS NOT NULL;
CREATE INDEX xxlwheel_misfire_job ON xxlwheel_misfire (job_id);
CREATE INDEX xxlwheel_info_due ON xxl_job_info (trigger_status, trigger_next_time);
CREATE INDEX xxlwheel_log_job ON xxl_job_log (job_id);
CREATE INDEX xxlwheel_log_open ON xxl_job_log (id) WHERE trigger_code = 200 AND handle_code = 0;
CREATE INDEX xxlwheel_fire_node ON xxlwheel_fire (node, term, due_ms) WHERE node IS NOT NULL;
CREATE INDEX xxlwheel_alarm_raised ON xxlwheel_alarm (job_id) WHERE raised = 1;
CREATE INDEX xxlwheel_alarm_claim_age ON xxlwheel_alarm_claim (claimed_ms, log_id);
CREATE INDEX xxlwheel_log_alarm ON xxl_job_log (id)
    WHERE alarm_status = 0 AND handle_code <> 200 AND (handle_code <> 0 OR trigger_code NOT IN (0, 200));
CREATE INDEX xxlwheel_log_untold ON xxl_job_log (id) WHERE trigger_code = 0 AND handle_code = 0;
CREATE INDEX xxlwheel_log_fetch_due ON xxlwheel_log_fetch (due_ms, log_id);
CREATE INDEX xxlwheel_log_time ON xxl_job_log (trigger_time);
CREATE UNIQUE INDEX xxlwheel_order_key ON xxlwheel_order (job_id, idem_key);
CREATE INDEX xxlwheel_order_fire ON xxlwheel_order (fire_id);
CREATE INDEX xxlwheel_order_age ON xxlwheel_order (created_ms);
COMMIT;
