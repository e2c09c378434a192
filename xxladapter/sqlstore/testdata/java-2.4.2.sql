CREATE TABLE `xxl_job_group` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `app_name` varchar(64) NOT NULL,
  `title` varchar(12) NOT NULL,
  `address_type` tinyint(4) NOT NULL DEFAULT 0,
  `address_list` text DEFAULT NULL,
  `update_time` datetime DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `xxl_job_group` (`id`, `app_name`, `title`, `address_type`, `address_list`, `update_time`) VALUES (2,'billing-app','账单',0,NULL,'2026-11-23 06:33:18');
INSERT INTO `xxl_job_group` (`id`, `app_name`, `title`, `address_type`, `address_list`, `update_time`) VALUES (3,'report-app','Reports',1,'http://127.0.0.1:18094/','2026-11-23 06:33:18');
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
  `executor_param` varchar(512) DEFAULT NULL,
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
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (2,3,'script','2026-11-23 06:33:18','2026-11-23 06:33:20','wei','ops@example.com','NONE',NULL,'DO_NOTHING','FIRST','',NULL,'SERIAL_EXECUTION',0,0,'GLUE_SHELL','echo three 第','version three','2026-11-23 06:33:20',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (3,2,'对账','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','CRON','0 0 2 * * ?','FIRE_ONCE_NOW','ROUND','demoJobHandler','a=1 & it\'s \"b\" 😀','SERIAL_EXECUTION',60,2,'BEAN',NULL,'begin','2026-11-23 06:33:22','2',1,0,1795485600000);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (4,2,'lenient','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','CRON','0 0/0 3 ? * MONDAY','DO_NOTHING','FIRST','demoJobHandler',NULL,'SERIAL_EXECUTION',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,1,0,1796007600000);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (5,3,'often','2026-11-23 06:33:22','2026-11-23 06:33:23','wei','ops@example.com','FIX_RATE','2','DO_NOTHING','FIRST','demoJobHandler',NULL,'SERIAL_EXECUTION',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,1,1795415618133,1795415620133);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (6,2,'by LAST','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','LAST','demoJobHandler',NULL,'DISCARD_LATER',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (7,2,'by RANDOM','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','RANDOM','demoJobHandler',NULL,'DISCARD_LATER',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (8,2,'by CONSISTENT_HASH','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','CONSISTENT_HASH','demoJobHandler',NULL,'DISCARD_LATER',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (9,2,'by LEAST_FREQUENTLY_USED','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','LEAST_FREQUENTLY_USED','demoJobHandler',NULL,'DISCARD_LATER',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (10,2,'by LEAST_RECENTLY_USED','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','LEAST_RECENTLY_USED','demoJobHandler',NULL,'DISCARD_LATER',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (11,2,'by FAILOVER','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','FAILOVER','demoJobHandler',NULL,'DISCARD_LATER',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (12,2,'by BUSYOVER','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','BUSYOVER','demoJobHandler',NULL,'DISCARD_LATER',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (13,2,'by SHARDING_BROADCAST','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','SHARDING_BROADCAST','demoJobHandler',NULL,'DISCARD_LATER',0,0,'BEAN',NULL,'begin','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (14,3,'in GROOVY','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','FIRST','',NULL,'COVER_EARLY',0,0,'GLUE_GROOVY','source of GROOVY','version of GROOVY','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (15,3,'in PYTHON','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','FIRST','',NULL,'COVER_EARLY',0,0,'GLUE_PYTHON','source of PYTHON','version of PYTHON','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (16,3,'in PHP','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','FIRST','',NULL,'COVER_EARLY',0,0,'GLUE_PHP','source of PHP','version of PHP','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (17,3,'in NODEJS','2026-11-23 06:33:22','2026-11-23 06:33:22','wei','ops@example.com','NONE',NULL,'DO_NOTHING','FIRST','',NULL,'COVER_EARLY',0,0,'GLUE_NODEJS','source of NODEJS','version of NODEJS','2026-11-23 06:33:22',NULL,0,0,0);
INSERT INTO `xxl_job_info` (`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, `misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, `executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, `child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`) VALUES (18,3,'in POWERSHELL','2026-11-23 06:33:22','2026-11-23 06:33:23','wei','ops@example.com','NONE',NULL,'DO_NOTHING','FIRST','',NULL,'COVER_EARLY',0,0,'GLUE_POWERSHELL','source of POWERSHELL','version of POWERSHELL','2026-11-23 06:33:23',NULL,0,0,0);
CREATE TABLE `xxl_job_lock` (
  `lock_name` varchar(50) NOT NULL,
  PRIMARY KEY (`lock_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `xxl_job_lock` (`lock_name`) VALUES ('schedule_lock');
CREATE TABLE `xxl_job_log` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `job_group` int(11) NOT NULL,
  `job_id` int(11) NOT NULL,
  `executor_address` varchar(255) DEFAULT NULL,
  `executor_handler` varchar(255) DEFAULT NULL,
  `executor_param` varchar(512) DEFAULT NULL,
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
  KEY `I_handle_code` (`handle_code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `xxl_job_log` (`id`, `job_group`, `job_id`, `executor_address`, `executor_handler`, `executor_param`, `executor_sharding_param`, `executor_fail_retry_count`, `trigger_time`, `trigger_code`, `trigger_msg`, `handle_time`, `handle_code`, `handle_msg`, `alarm_status`) VALUES (1,3,2,'http://127.0.0.1:18094/','','once',NULL,0,'2026-11-23 06:33:23',500,'任务触发类型：手动触发<br>调度机器：192.0.2.1<br>执行器-注册方式：手动录入<br>执行器-地址列表：[http://127.0.0.1:18094/]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>触发调度：<br>address：http://127.0.0.1:18094/<br>code：500<br>msg：fail, current glue type [GLUE(Shell)] not supported.',NULL,0,NULL,3);
INSERT INTO `xxl_job_log` (`id`, `job_group`, `job_id`, `executor_address`, `executor_handler`, `executor_param`, `executor_sharding_param`, `executor_fail_retry_count`, `trigger_time`, `trigger_code`, `trigger_msg`, `handle_time`, `handle_code`, `handle_msg`, `alarm_status`) VALUES (2,3,5,'http://127.0.0.1:18094/','demoJobHandler',NULL,NULL,0,'2026-11-23 06:33:30',200,'任务触发类型：Cron触发<br>调度机器：192.0.2.1<br>执行器-注册方式：手动录入<br>执行器-地址列表：[http://127.0.0.1:18094/]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>触发调度：<br>address：http://127.0.0.1:18094/<br>code：200<br>msg：Success','2026-11-23 06:33:30',200,'',0);
INSERT INTO `xxl_job_log` (`id`, `job_group`, `job_id`, `executor_address`, `executor_handler`, `executor_param`, `executor_sharding_param`, `executor_fail_retry_count`, `trigger_time`, `trigger_code`, `trigger_msg`, `handle_time`, `handle_code`, `handle_msg`, `alarm_status`) VALUES (3,3,5,'http://127.0.0.1:18094/','demoJobHandler',NULL,NULL,0,'2026-11-23 06:33:33',200,'任务触发类型：Cron触发<br>调度机器：192.0.2.1<br>执行器-注册方式：手动录入<br>执行器-地址列表：[http://127.0.0.1:18094/]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>触发调度：<br>address：http://127.0.0.1:18094/<br>code：200<br>msg：Success','2026-11-23 06:33:33',200,'',0);
INSERT INTO `xxl_job_log` (`id`, `job_group`, `job_id`, `executor_address`, `executor_handler`, `executor_param`, `executor_sharding_param`, `executor_fail_retry_count`, `trigger_time`, `trigger_code`, `trigger_msg`, `handle_time`, `handle_code`, `handle_msg`, `alarm_status`) VALUES (4,3,5,'http://127.0.0.1:18094/','demoJobHandler',NULL,NULL,0,'2026-11-23 06:33:34',200,'任务触发类型：Cron触发<br>调度机器：192.0.2.1<br>执行器-注册方式：手动录入<br>执行器-地址列表：[http://127.0.0.1:18094/]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>触发调度：<br>address：http://127.0.0.1:18094/<br>code：200<br>msg：Success','2026-11-23 06:33:34',200,'',0);
INSERT INTO `xxl_job_log` (`id`, `job_group`, `job_id`, `executor_address`, `executor_handler`, `executor_param`, `executor_sharding_param`, `executor_fail_retry_count`, `trigger_time`, `trigger_code`, `trigger_msg`, `handle_time`, `handle_code`, `handle_msg`, `alarm_status`) VALUES (5,3,5,'http://127.0.0.1:18094/','demoJobHandler',NULL,NULL,0,'2026-11-23 06:33:36',200,'任务触发类型：Cron触发<br>调度机器：192.0.2.1<br>执行器-注册方式：手动录入<br>执行器-地址列表：[http://127.0.0.1:18094/]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>触发调度：<br>address：http://127.0.0.1:18094/<br>code：200<br>msg：Success',NULL,0,NULL,0);
INSERT INTO `xxl_job_log` (`id`, `job_group`, `job_id`, `executor_address`, `executor_handler`, `executor_param`, `executor_sharding_param`, `executor_fail_retry_count`, `trigger_time`, `trigger_code`, `trigger_msg`, `handle_time`, `handle_code`, `handle_msg`, `alarm_status`) VALUES (6,3,5,'http://127.0.0.1:18094/','demoJobHandler',NULL,NULL,0,'2026-11-23 06:33:38',200,'任务触发类型：Cron触发<br>调度机器：192.0.2.1<br>执行器-注册方式：手动录入<br>执行器-地址列表：[http://127.0.0.1:18094/]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>触发调度：<br>address：http://127.0.0.1:18094/<br>code：200<br>msg：Success',NULL,0,NULL,0);
CREATE TABLE `xxl_job_log_report` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `trigger_day` datetime DEFAULT NULL,
  `running_count` int(11) NOT NULL DEFAULT 0,
  `suc_count` int(11) NOT NULL DEFAULT 0,
  `fail_count` int(11) NOT NULL DEFAULT 0,
  `update_time` datetime DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `i_trigger_day` (`trigger_day`) USING BTREE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `xxl_job_log_report` (`id`, `trigger_day`, `running_count`, `suc_count`, `fail_count`, `update_time`) VALUES (1,'2026-11-23 00:00:00',0,0,0,NULL);
INSERT INTO `xxl_job_log_report` (`id`, `trigger_day`, `running_count`, `suc_count`, `fail_count`, `update_time`) VALUES (2,'2026-11-22 00:00:00',0,0,0,NULL);
INSERT INTO `xxl_job_log_report` (`id`, `trigger_day`, `running_count`, `suc_count`, `fail_count`, `update_time`) VALUES (3,'2026-11-21 00:00:00',0,0,0,NULL);
CREATE TABLE `xxl_job_logglue` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `job_id` int(11) NOT NULL,
  `glue_type` varchar(50) DEFAULT NULL,
  `glue_source` mediumtext DEFAULT NULL,
  `glue_remark` varchar(128) NOT NULL,
  `add_time` datetime DEFAULT NULL,
  `update_time` datetime DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `xxl_job_logglue` (`id`, `job_id`, `glue_type`, `glue_source`, `glue_remark`, `add_time`, `update_time`) VALUES (1,2,'GLUE_SHELL','echo one 第','version one','2026-11-23 06:33:18','2026-11-23 06:33:18');
INSERT INTO `xxl_job_logglue` (`id`, `job_id`, `glue_type`, `glue_source`, `glue_remark`, `add_time`, `update_time`) VALUES (2,2,'GLUE_SHELL','echo two 第','version two','2026-11-23 06:33:19','2026-11-23 06:33:19');
INSERT INTO `xxl_job_logglue` (`id`, `job_id`, `glue_type`, `glue_source`, `glue_remark`, `add_time`, `update_time`) VALUES (3,2,'GLUE_SHELL','echo three 第','version three','2026-11-23 06:33:20','2026-11-23 06:33:20');
INSERT INTO `xxl_job_logglue` (`id`, `job_id`, `glue_type`, `glue_source`, `glue_remark`, `add_time`, `update_time`) VALUES (4,14,'GLUE_GROOVY','source of GROOVY','version of GROOVY','2026-11-23 06:33:22','2026-11-23 06:33:22');
INSERT INTO `xxl_job_logglue` (`id`, `job_id`, `glue_type`, `glue_source`, `glue_remark`, `add_time`, `update_time`) VALUES (5,15,'GLUE_PYTHON','source of PYTHON','version of PYTHON','2026-11-23 06:33:22','2026-11-23 06:33:22');
INSERT INTO `xxl_job_logglue` (`id`, `job_id`, `glue_type`, `glue_source`, `glue_remark`, `add_time`, `update_time`) VALUES (6,16,'GLUE_PHP','source of PHP','version of PHP','2026-11-23 06:33:22','2026-11-23 06:33:22');
INSERT INTO `xxl_job_logglue` (`id`, `job_id`, `glue_type`, `glue_source`, `glue_remark`, `add_time`, `update_time`) VALUES (7,17,'GLUE_NODEJS','source of NODEJS','version of NODEJS','2026-11-23 06:33:22','2026-11-23 06:33:22');
INSERT INTO `xxl_job_logglue` (`id`, `job_id`, `glue_type`, `glue_source`, `glue_remark`, `add_time`, `update_time`) VALUES (8,18,'GLUE_POWERSHELL','source of POWERSHELL','version of POWERSHELL','2026-11-23 06:33:23','2026-11-23 06:33:23');
CREATE TABLE `xxl_job_registry` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `registry_group` varchar(50) NOT NULL,
  `registry_key` varchar(255) NOT NULL,
  `registry_value` varchar(255) NOT NULL,
  `update_time` datetime DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `i_g_k_v` (`registry_group`,`registry_key`,`registry_value`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `xxl_job_registry` (`id`, `registry_group`, `registry_key`, `registry_value`, `update_time`) VALUES (1,'EXECUTOR','report-app','http://127.0.0.1:18094/','2026-11-23 06:33:18');
CREATE TABLE `xxl_job_user` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `username` varchar(50) NOT NULL,
  `password` varchar(50) NOT NULL,
  `role` tinyint(4) NOT NULL,
  `permission` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `i_username` (`username`) USING BTREE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `xxl_job_user` (`id`, `username`, `password`, `role`, `permission`) VALUES (1,'admin','e10adc3949ba59abbe56e057f20f883e',1,NULL);
INSERT INTO `xxl_job_user` (`id`, `username`, `password`, `role`, `permission`) VALUES (2,'liming','e10adc3949ba59abbe56e057f20f883e',0,'3');
INSERT INTO `xxl_job_user` (`id`, `username`, `password`, `role`, `permission`) VALUES (3,'wangfang','e10adc3949ba59abbe56e057f20f883e',1,'');
