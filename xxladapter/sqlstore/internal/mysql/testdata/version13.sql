CREATE TABLE `xxl_job_group` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `app_name` varchar(64) NOT NULL,
  `title` varchar(64) NOT NULL,
  `address_type` tinyint(4) NOT NULL DEFAULT 0,
  `address_list` text DEFAULT NULL,
  `update_time` datetime DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
INSERT INTO `xxl_job_group` VALUES (1,'older-app','older',1,'http://10.0.0.1:9999/','2026-03-01 12:00:00');
INSERT INTO `xxl_job_group` VALUES (2,'other-app','other',0,'http://10.0.0.2:9999/','2026-03-01 12:00:00');
CREATE TABLE `xxl_job_info` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `job_group` int(11) NOT NULL,
  `job_desc` varchar(255) NOT NULL,
  `add_time` datetime DEFAULT NULL,
  `update_time` datetime DEFAULT NULL,
  `author` varchar(64) DEFAULT NULL,
  `alarm_email` varchar(255) DEFAULT NULL,
  `schedule_type` varchar(50) NOT NULL DEFAULT 'NONE',
  `schedule_conf` varchar(128) DEFAULT NULL,
  `misfire_strategy` varchar(50) NOT NULL DEFAULT 'DO_NOTHING',
  `executor_route_strategy` varchar(50) DEFAULT NULL,
  `executor_handler` varchar(255) DEFAULT NULL,
  `executor_param` text DEFAULT NULL,
  `executor_block_strategy` varchar(50) DEFAULT NULL,
  `executor_timeout` int(11) NOT NULL DEFAULT 0,
  `executor_fail_retry_count` int(11) NOT NULL DEFAULT 0,
  `glue_type` varchar(50) NOT NULL,
  `glue_source` mediumtext DEFAULT NULL,
  `glue_remark` varchar(128) DEFAULT NULL,
  `glue_updatetime` datetime DEFAULT NULL,
  `child_jobid` varchar(255) DEFAULT NULL,
  `trigger_status` tinyint(4) NOT NULL DEFAULT 0,
  `trigger_last_time` bigint(13) NOT NULL DEFAULT 0,
  `trigger_next_time` bigint(13) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
INSERT INTO `xxl_job_info` VALUES (1,1,'nightly','2026-03-01 12:00:00','2026-03-01 12:00:01','','','CRON','0 0 2 * * ?','','','nightly','','',0,0,'','','','2026-03-01 12:00:00','',1,1772370000000,1772456400000);
INSERT INTO `xxl_job_info` VALUES (2,2,'by hand','2026-03-01 12:00:00','2026-03-01 12:00:00','','','','','','','hand','','',0,0,'','','','2026-03-01 12:00:00','',0,0,0);
CREATE TABLE `xxl_job_lock` (
  `lock_name` varchar(50) NOT NULL,
  PRIMARY KEY (`lock_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
INSERT INTO `xxl_job_lock` VALUES ('schedule_lock');
CREATE TABLE `xxl_job_log` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `job_group` int(11) NOT NULL,
  `job_id` int(11) NOT NULL,
  `executor_address` varchar(255) DEFAULT NULL,
  `executor_handler` varchar(255) DEFAULT NULL,
  `executor_param` text DEFAULT NULL,
  `executor_sharding_param` varchar(20) DEFAULT NULL,
  `executor_fail_retry_count` int(11) NOT NULL DEFAULT 0,
  `trigger_time` datetime DEFAULT NULL,
  `trigger_code` int(11) NOT NULL,
  `trigger_msg` text DEFAULT NULL,
  `handle_time` datetime DEFAULT NULL,
  `handle_code` int(11) NOT NULL,
  `handle_msg` text DEFAULT NULL,
  `alarm_status` tinyint(4) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  KEY `I_trigger_time` (`trigger_time`),
  KEY `I_handle_code` (`handle_code`),
  KEY `I_jobgroup` (`job_group`),
  KEY `I_jobid` (`job_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
INSERT INTO `xxl_job_log` VALUES (1,1,1,NULL,'nightly','',NULL,0,'2026-03-01 12:00:00',200,'sent','2026-03-01 12:00:00',500,'it failed',-1);
INSERT INTO `xxl_job_log` VALUES (2,2,2,NULL,'hand','',NULL,0,'2026-03-01 11:59:00',0,NULL,NULL,0,NULL,0);
CREATE TABLE `xxl_job_log_report` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `trigger_day` datetime DEFAULT NULL,
  `running_count` int(11) NOT NULL DEFAULT 0,
  `suc_count` int(11) NOT NULL DEFAULT 0,
  `fail_count` int(11) NOT NULL DEFAULT 0,
  `update_time` datetime DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `i_trigger_day` (`trigger_day`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
INSERT INTO `xxl_job_log_report` VALUES (1,'2026-03-01 00:00:00',1,0,1,'2026-03-01 12:00:00');
CREATE TABLE `xxl_job_logglue` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `job_id` int(11) NOT NULL,
  `glue_type` varchar(50) DEFAULT NULL,
  `glue_source` mediumtext DEFAULT NULL,
  `glue_remark` varchar(128) NOT NULL,
  `add_time` datetime DEFAULT NULL,
  `update_time` datetime DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `xxl_job_registry` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `registry_group` varchar(50) NOT NULL,
  `registry_key` varchar(255) NOT NULL,
  `registry_value` varchar(255) NOT NULL,
  `update_time` datetime DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `i_g_k_v` (`registry_group`,`registry_key`,`registry_value`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
INSERT INTO `xxl_job_registry` VALUES (1,'EXECUTOR','other-app','http://10.0.0.2:9999/','2026-03-01 12:00:00');
CREATE TABLE `xxl_job_user` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `username` varchar(50) NOT NULL,
  `password` varchar(100) NOT NULL,
  `token` varchar(100) DEFAULT NULL,
  `role` tinyint(4) NOT NULL,
  `permission` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `i_username` (`username`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `xxlwheel_alarm` (
  `job_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL DEFAULT 0,
  `raised` tinyint(4) NOT NULL DEFAULT 0,
  `in_a_row` int(11) NOT NULL DEFAULT 0,
  `since_log_id` bigint(20) NOT NULL DEFAULT 0,
  `last_log_id` bigint(20) NOT NULL DEFAULT 0,
  `sent_ms` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`job_id`),
  KEY `xxlwheel_alarm_raised` (`raised`,`job_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_alarm` VALUES (1,1,1,1,1,1,1772366400000);
CREATE TABLE `xxlwheel_alarm_claim` (
  `log_id` bigint(20) NOT NULL,
  `recovered` tinyint(4) NOT NULL,
  `job_id` bigint(20) NOT NULL,
  `node` varchar(255) NOT NULL,
  `claimed_ms` bigint(20) NOT NULL,
  `attempts` int(11) NOT NULL,
  PRIMARY KEY (`log_id`,`recovered`),
  KEY `xxlwheel_alarm_claim_age` (`claimed_ms`,`log_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_alarm_claim` VALUES (1,0,1,'n1',1772366400000,1);
CREATE TABLE `xxlwheel_app` (
  `app_name` varchar(255) NOT NULL,
  PRIMARY KEY (`app_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_app` VALUES ('older-app');
INSERT INTO `xxlwheel_app` VALUES ('other-app');
CREATE TABLE `xxlwheel_fire` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `job_id` bigint(20) NOT NULL,
  `due_ms` bigint(20) NOT NULL,
  `shard_index` int(11) NOT NULL,
  `shard_total` int(11) NOT NULL,
  `trigger_type` varchar(50) NOT NULL,
  `state` varchar(20) NOT NULL,
  `retry_count` int(11) NOT NULL,
  `param` mediumtext DEFAULT NULL,
  `addresses` mediumtext DEFAULT NULL,
  `node` varchar(255) DEFAULT NULL,
  `term` bigint(20) NOT NULL DEFAULT 0,
  `log_id` bigint(20) DEFAULT NULL,
  `claimed_ms` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `xxlwheel_fire_due_of_job` (`job_id`,`due_ms`,`shard_index`),
  UNIQUE KEY `xxlwheel_fire_log` (`log_id`),
  KEY `xxlwheel_fire_due` (`due_ms`),
  KEY `xxlwheel_fire_node` (`node`,`term`,`due_ms`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_fire` VALUES (2,1,1772366460000,0,0,'CRON','planned',0,NULL,NULL,NULL,0,NULL,NULL);
INSERT INTO `xxlwheel_fire` VALUES (3,1,1772366401000,0,0,'RETRY','planned',2,NULL,'http://10.0.0.1:9999/',NULL,0,NULL,NULL);
INSERT INTO `xxlwheel_fire` VALUES (4,2,1772366340000,0,1,'API','claimed',0,NULL,NULL,'n1',1,2,1772366400000);
INSERT INTO `xxlwheel_fire` VALUES (5,1,1772370000000,0,0,'CRON','planned',0,NULL,NULL,NULL,0,NULL,NULL);
CREATE TABLE `xxlwheel_group` (
  `group_id` bigint(20) NOT NULL,
  `access_token` varchar(255) NOT NULL,
  PRIMARY KEY (`group_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_group` VALUES (1,'s3cret');
CREATE TABLE `xxlwheel_job` (
  `job_id` bigint(20) NOT NULL,
  `settings` mediumtext NOT NULL,
  PRIMARY KEY (`job_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_job` VALUES (1,'{\"keepLogs\":\"FAILURES\"}');
CREATE TABLE `xxlwheel_lease` (
  `node` varchar(255) NOT NULL,
  `term` bigint(20) NOT NULL,
  `until_ms` bigint(20) NOT NULL,
  `life_ms` bigint(20) NOT NULL,
  `retired` tinyint(4) NOT NULL,
  PRIMARY KEY (`node`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_lease` VALUES ('n1',1,1775966400000,3600000000,0);
CREATE TABLE `xxlwheel_log_fetch` (
  `log_id` bigint(20) NOT NULL,
  `attempts` int(11) NOT NULL,
  `due_ms` bigint(20) NOT NULL,
  PRIMARY KEY (`log_id`),
  KEY `xxlwheel_log_fetch_due` (`due_ms`,`log_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `xxlwheel_log_text` (
  `log_id` bigint(20) NOT NULL,
  `body` longblob NOT NULL,
  `size` bigint(20) NOT NULL,
  `complete` tinyint(4) NOT NULL,
  `note` text DEFAULT NULL,
  PRIMARY KEY (`log_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_log_text` VALUES (1,0x1F8B08000000000004FF001200EDFF6C696E65206F6E650A6C696E652074776F0A010000FFFF8BD7F47512000000,18,1,'');
CREATE TABLE `xxlwheel_misfire` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `job_id` bigint(20) NOT NULL,
  `due_ms` bigint(20) NOT NULL,
  `until_ms` bigint(20) NOT NULL,
  `policy` varchar(50) NOT NULL,
  `at_ms` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `xxlwheel_misfire_job` (`job_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_misfire` VALUES (1,1,1772366400000,1772366460000,'DO_NOTHING',1772366400000);
CREATE TABLE `xxlwheel_order` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `job_id` bigint(20) NOT NULL,
  `fire_id` bigint(20) NOT NULL,
  `idem_key` varchar(128) DEFAULT NULL,
  `request` varchar(64) NOT NULL,
  `created_ms` bigint(20) NOT NULL,
  `log_ids` mediumtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `xxlwheel_order_key` (`job_id`,`idem_key`),
  KEY `xxlwheel_order_fire` (`fire_id`),
  KEY `xxlwheel_order_age` (`created_ms`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_order` VALUES (1,2,4,'key-1','request',1772366400000,'2');
CREATE TABLE `xxlwheel_removed_job` (
  `job_id` bigint(20) NOT NULL,
  `last_log_id` bigint(20) NOT NULL,
  PRIMARY KEY (`job_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `xxlwheel_report` (
  `trigger_day` datetime NOT NULL,
  `slot` int(11) NOT NULL,
  `running_count` int(11) NOT NULL,
  `suc_count` int(11) NOT NULL,
  `fail_count` int(11) NOT NULL,
  PRIMARY KEY (`trigger_day`,`slot`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `xxlwheel_schema` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `version_id` bigint(20) NOT NULL,
  `is_applied` tinyint(1) NOT NULL,
  `tstamp` datetime DEFAULT current_timestamp(),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
INSERT INTO `xxlwheel_schema` VALUES (1,0,1,'2026-11-22 14:51:00');
INSERT INTO `xxlwheel_schema` VALUES (2,1,1,'2026-11-22 14:51:00');
INSERT INTO `xxlwheel_schema` VALUES (3,2,1,'2026-11-22 14:51:00');
INSERT INTO `xxlwheel_schema` VALUES (4,11,1,'2026-11-22 14:51:00');
INSERT INTO `xxlwheel_schema` VALUES (5,13,1,'2026-11-22 14:51:00');
CREATE TABLE `xxlwheel_setting` (
  `name` varchar(64) NOT NULL,
  `value` varchar(255) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_setting` VALUES ('zone','Asia/Shanghai');
CREATE TABLE `xxlwheel_shard` (
  `shard` int(11) NOT NULL,
  `node` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`shard`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_shard` VALUES (0,'n1');
INSERT INTO `xxlwheel_shard` VALUES (1,'n1');
INSERT INTO `xxlwheel_shard` VALUES (2,'n1');
INSERT INTO `xxlwheel_shard` VALUES (3,'n1');
INSERT INTO `xxlwheel_shard` VALUES (4,'n1');
INSERT INTO `xxlwheel_shard` VALUES (5,'n1');
INSERT INTO `xxlwheel_shard` VALUES (6,'n1');
INSERT INTO `xxlwheel_shard` VALUES (7,'n1');
INSERT INTO `xxlwheel_shard` VALUES (8,'n1');
INSERT INTO `xxlwheel_shard` VALUES (9,'n1');
INSERT INTO `xxlwheel_shard` VALUES (10,'n1');
INSERT INTO `xxlwheel_shard` VALUES (11,'n1');
INSERT INTO `xxlwheel_shard` VALUES (12,'n1');
INSERT INTO `xxlwheel_shard` VALUES (13,'n1');
INSERT INTO `xxlwheel_shard` VALUES (14,'n1');
INSERT INTO `xxlwheel_shard` VALUES (15,'n1');
INSERT INTO `xxlwheel_shard` VALUES (16,'n1');
INSERT INTO `xxlwheel_shard` VALUES (17,'n1');
INSERT INTO `xxlwheel_shard` VALUES (18,'n1');
INSERT INTO `xxlwheel_shard` VALUES (19,'n1');
INSERT INTO `xxlwheel_shard` VALUES (20,'n1');
INSERT INTO `xxlwheel_shard` VALUES (21,'n1');
INSERT INTO `xxlwheel_shard` VALUES (22,'n1');
INSERT INTO `xxlwheel_shard` VALUES (23,'n1');
INSERT INTO `xxlwheel_shard` VALUES (24,'n1');
INSERT INTO `xxlwheel_shard` VALUES (25,'n1');
INSERT INTO `xxlwheel_shard` VALUES (26,'n1');
INSERT INTO `xxlwheel_shard` VALUES (27,'n1');
INSERT INTO `xxlwheel_shard` VALUES (28,'n1');
INSERT INTO `xxlwheel_shard` VALUES (29,'n1');
INSERT INTO `xxlwheel_shard` VALUES (30,'n1');
INSERT INTO `xxlwheel_shard` VALUES (31,'n1');
INSERT INTO `xxlwheel_shard` VALUES (32,'n1');
INSERT INTO `xxlwheel_shard` VALUES (33,'n1');
INSERT INTO `xxlwheel_shard` VALUES (34,'n1');
INSERT INTO `xxlwheel_shard` VALUES (35,'n1');
INSERT INTO `xxlwheel_shard` VALUES (36,'n1');
INSERT INTO `xxlwheel_shard` VALUES (37,'n1');
INSERT INTO `xxlwheel_shard` VALUES (38,'n1');
INSERT INTO `xxlwheel_shard` VALUES (39,'n1');
INSERT INTO `xxlwheel_shard` VALUES (40,'n1');
INSERT INTO `xxlwheel_shard` VALUES (41,'n1');
INSERT INTO `xxlwheel_shard` VALUES (42,'n1');
INSERT INTO `xxlwheel_shard` VALUES (43,'n1');
INSERT INTO `xxlwheel_shard` VALUES (44,'n1');
INSERT INTO `xxlwheel_shard` VALUES (45,'n1');
INSERT INTO `xxlwheel_shard` VALUES (46,'n1');
INSERT INTO `xxlwheel_shard` VALUES (47,'n1');
INSERT INTO `xxlwheel_shard` VALUES (48,'n1');
INSERT INTO `xxlwheel_shard` VALUES (49,'n1');
INSERT INTO `xxlwheel_shard` VALUES (50,'n1');
INSERT INTO `xxlwheel_shard` VALUES (51,'n1');
INSERT INTO `xxlwheel_shard` VALUES (52,'n1');
INSERT INTO `xxlwheel_shard` VALUES (53,'n1');
INSERT INTO `xxlwheel_shard` VALUES (54,'n1');
INSERT INTO `xxlwheel_shard` VALUES (55,'n1');
INSERT INTO `xxlwheel_shard` VALUES (56,'n1');
INSERT INTO `xxlwheel_shard` VALUES (57,'n1');
INSERT INTO `xxlwheel_shard` VALUES (58,'n1');
INSERT INTO `xxlwheel_shard` VALUES (59,'n1');
INSERT INTO `xxlwheel_shard` VALUES (60,'n1');
INSERT INTO `xxlwheel_shard` VALUES (61,'n1');
INSERT INTO `xxlwheel_shard` VALUES (62,'n1');
INSERT INTO `xxlwheel_shard` VALUES (63,'n1');
CREATE TABLE `xxlwheel_term` (
  `id` int(11) NOT NULL DEFAULT 1,
  `last` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `xxlwheel_term` VALUES (1,1);
