package errortext

// A rule has a code, and a text in Chinese for all errors about it.
type rule struct {
	code    string
	chinese string // with the names of parameters in braces
	forms   []form
}

// A form is an error's format in English, with the names of what its verbs stand for, in their
// order, separated by semicolons. A name with a value, as in least=0, is a parameter that the
// format says in words.
type form struct{ english, params string }

// table has the rules in the order of their kinds: values, lengths, what is given, things, and
// states.
var table = []rule{
	{"one_of", "{field} 为“{value}”，须为以下之一：{allowed}", []form{
		{"%s is %q, must be one of %s", "field;value;allowed"},
		{"format is %q, must be %s or %s", "field=format;value;allowed;other"},
		{"format is %q, must be json or yaml", "field=format;value;allowed=json, yaml"},
		{"action is %q, must be one of start, stop, delete, change, trigger", "field=action;value;allowed=start, stop, delete, change, trigger"},
		{"status is %q, must be one of RUNNING, SUCCESS, FAIL, LOST", "field=status;value;allowed=RUNNING, SUCCESS, FAIL, LOST"},
		{"scheduleType is %q, must be one of NONE, CRON, FIX_RATE, FIX_DELAY, ONCE", "field=scheduleType;value;allowed=NONE, CRON, FIX_RATE, FIX_DELAY, ONCE"},
		{"addressType is %d, must be 0 (automatic) or 1 (manual)", "field=addressType;value;allowed=0, 1"},
		{"%s is %q, must be true or false", "field;value;allowed=true, false"},
		{"registryGroup is %q, must be %s", "field=registryGroup;value;allowed"},
	}},
	{"range", "{field} 为 {value}，须在 {least} 到 {most} 之间", []form{
		{"%s is %d, must be 0 to %d", "field;value;least=0;most"},
		{"%s is in the year %d, must be 1970 to %d", "field;value;least=1970;most"},
		{"year is %d, must be 1970 to 9999", "field=year;value;least=1970;most=9999"},
		{"parallel is %d, must be 1 to %d", "field=parallel;value;least=1;most"},
		{"hours is %d, must be 1 to %d", "field=hours;value;least=1;most"},
		{"count is %d, must be 1 to %d", "field=count;value;least=1;most"},
		{"months is %d, must be 1 to %d", "field=months;value;least=1;most"},
		{"atLeastMs is %d, must be 0 to %d", "field=atLeastMs;value;least=0;most"},
		{"misfireLimit is %d, must be 0 to %d", "field=misfireLimit;value;least=0;most"},
		{"alarmAfter is %d, must be 0 to 1000", "field=alarmAfter;value;least=0;most=1000"},
		{"executorFailRetryCount is %d, must be 0 to %d", "field=executorFailRetryCount;value;least=0;most"},
		{"executorTimeout is %d, must be 0 to %d seconds", "field=executorTimeout;value;least=0;most"},
		{"at is %s, must be within %s and %s", "field=at;value;least;most"},
	}},
	{"at_most", "{field} 为 {value}，不得超过 {most}", []form{
		{"limit is %d, must be at most %d", "field=limit;value;most"},
		{"executorTimeout is %v, must be at most %d seconds", "field=executorTimeout;value;most"},
	}},
	{"alarm_in_a_row", "告警方式为 {alarmOn} 时，{field} 须在 1 到 1000 之间", []form{
		{"alarmAfter is 0, must be 1 to 1000 with alarmOn %s", "field=alarmAfter;value=0;alarmOn"},
	}},
	{"whole_seconds", "{field} 为 {value}，须为不小于 0 的整数秒", []form{
		{"executorTimeout is %v, must be whole seconds, 0 or more", "field=executorTimeout;value"},
	}},
	{"not_negative", "{field} 为 {value}，须为不小于 0 的整数", []form{
		{"%s is %q, must be an integer of 0 or more", "field;value"},
		{"jobGroup is %d, must be 0 or more", "field=jobGroup;value"},
		{"keepNewest is %d, must not be negative", "field=keepNewest;value"},
		{"jobId is %d, must not be negative", "field=jobId;value"},
		{"jobGroup is %d, must not be negative", "field=jobGroup;value"},
	}},
	{"positive", "{field} 为 {value}，须为正整数", []form{
		{"%s is %q, must be a positive integer", "field;value"},
		{"ids contains %d, must contain positive integers", "field=ids;value"},
	}},
	{"instant", "{field} 为“{value}”，须为 RFC 3339 时间，例如 2026-01-02T15:04:05Z", []form{
		{"%s is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", "field;value"},
	}},
	{"day", "{field} 为“{value}”，须为日期，例如 2026-03-01", []form{
		{"%s is %q, must be a day such as 2026-03-01", "field;value"},
	}},
	{"day_of_year", "{year} 年的 {field} 含有“{value}”，须为该年的日期，例如 05-01", []form{
		{"%s of %d has %q, must be a day of that year such as %d-05-01", "field;year;value;exampleYear"},
		{"%s of %d has %q, must be a day of that year as month and day, such as 0501", "field;year;value"},
	}},
	{"days_ascending", "{year} 年的 {field} 中 {value} 排在 {before} 之后，须按升序排列", []form{
		{"%s of %d has %s after %s, must be in ascending order", "field;year;value;before"},
	}},
	{"years_ascending", "{field} 中 {value} 排在 {before} 之后，须按升序排列", []form{
		{"years has %d after %d, must be in ascending order", "field=years;value;before"},
	}},
	{"off_and_work", "{year} 年的休息日和工作日都含有 {value}，不得重复", []form{
		{"off and work of %d both have %s, must have no day in common", "year;value"},
	}},
	{"weekday_twice", "周末中 {value} 出现两次，每天只能出现一次", []form{
		{"weekend names %s twice, must name each weekday once", "field=weekend;value"},
	}},
	{"weekend_whole", "周末不得包含全部七天，至少保留一天", []form{
		{"weekend has all seven weekdays, must leave at least one", "field=weekend"},
	}},
	{"zone", "{field} 为“{value}”，须为 IANA 时区，例如 Asia/Shanghai", []form{
		{"zone is %q, must be an IANA time zone such as Europe/Berlin", "field=zone;value"},
	}},
	{"email", "{field} 含有“{value}”，须为邮件地址，例如 ops@example.org", []form{
		{"%s contains %q, must be an address such as ops@example.org", "field;value"},
	}},
	{"executor_url", "{field} 含有“{value}”，须为 http://host:port 或 https://host:port", []form{
		{"%s contains %q, must be http://host:port or https://host:port", "field;value"},
		{"%s contains %q, must be http://host:port or https://host:port of at most 255 characters", "field;value"},
	}},
	{"executor_port", "{field} 含有“{value}”，端口须在 1 到 65535 之间", []form{
		{"%s contains %q, must have a port from 1 to 65535", "field;value"},
	}},
	{"executor", "{field} 含有“{value}”，不是可用的执行器地址：{reason}", []form{
		{"%s contains %q, must be an executor: %v", "field;value;reason"},
	}},
	{"schedule_over", "{field} 为“{value}”，在 {after} 之后没有触发时间", []form{
		{"scheduleConf is %q, must have a due time after %s", "field=scheduleConf;value;after"},
	}},
	{"schedule_startable", "调度类型为 {value} 的任务不能启动，请先选择其他类型", []form{
		{"scheduleType is %s, must be another type for the job to be started", "field=scheduleType;value"},
	}},
	{"schedule_backfill", "{field} 为 {value}，补跑只支持 CRON 和 FIX_RATE", []form{
		{"scheduleType is %s, must be CRON or FIX_RATE for a backfill", "field=scheduleType;value"},
	}},
	{"future", "{field} 为 {value}，须晚于现在", []form{
		{"until is %s, must be after now, %s", "field=until;value;now"},
		{"expires is %s, must be in the future", "field=expires;value"},
	}},
	{"past", "{field} 为 {value}，不得晚于现在 {now}", []form{
		{"to is %s, must not be after now, %s", "field=to;value;now"},
	}},
	{"days_ahead", "{field} 为 {value}，最多为今后 {most} 天；不限时间请留空", []form{
		{"until is %s, must be at most %d days ahead; omit it for no end", "field=until;value;most"},
	}},
	{"within_days", "{field} 为 {value}，须在今后 {most} 天之内", []form{
		{"expires is %s, must be within 366 days", "field=expires;value;most=366"},
	}},
	{"before", "{field} 为 {value}，须早于 {other}", []form{
		{"from is %s, must be before %s", "field=from;value;other"},
		{"from is %s, must be before to, %s", "field=from;value;other"},
	}},
	{"after", "{field} 为 {value}，须晚于 {other}", []form{
		{"from is %s, must be after 1970", "field=from;value;other=1970"},
		{"before is %s, must be after 1970", "field=before;value;other=1970"},
		{"to is %s, must be after from", "field=to;value;other=from"},
	}},
	{"span", "时间范围为 {value}，最长为 {most}", []form{
		{"to is %v after from, must be at most %v", "field=to;value;most"},
	}},
	{"span_days", "{field} 为 {value}，距 {other} 最多 {most} 天", []form{
		{"from is %s, must be at most 31 days before %s", "field=from;value;other;most=31"},
	}},
	{"due_times_too_many", "时间范围内的触发时间超过 {most} 个", []form{
		{"from and to have more than %d due times between them, must have at most as many", "most"},
	}},
	{"due_times_none", "时间范围内没有触发时间", []form{
		{"from and to have no due time between them, must have at least one", ""},
	}},

	{"characters", "{field} 有 {count} 个字符，须为 {least} 到 {most} 个", []form{
		{"%s has %d characters, must have %d to %d", "field;count;least;most"},
		{"%s has %d characters, must have 1 to %d", "field;count;least=1;most"},
		{"%s is empty, must have %d to %d characters", "field;count=0;least;most"},
		{"accessToken has %d characters, must have 8 to 255", "field=accessToken;count;least=8;most=255"},
		{"glueRemark has %d characters, must say in %d to %d what was changed", "field=glueRemark;count;least;most"},
		{"Idempotency-Key has %d bytes, must have 1 to %d printable ASCII characters", "field=Idempotency-Key;count;least=1;most"},
	}},
	{"characters_at_most", "{field} 有 {count} 个字符，最多 {most} 个", []form{
		{"%s has %d characters, must have at most %d", "field;count;most"},
		{"%s has %d characters, must have at most %d in tables of this release of XXL-JOB", "field;count;most"},
		{"childJobIds has %d characters with its commas, must have at most %d", "field=childJobIds;count;most"},
		{"scheduleConf has %d bytes, must have at most 128 characters", "field=scheduleConf;count;most=128"},
	}},
	{"characters_at_least", "{field} 有 {count} 个字符，至少 {least} 个", []form{
		{"password has %d characters, must have at least %d", "field=password;count;least"},
	}},
	{"bytes", "{field} 有 {count} 字节，须为 {least} 到 {most} 字节", []form{
		{"name has %d bytes, must have 1 to 64", "field=name;count;least=1;most=64"},
	}},
	{"bytes_at_most", "{field} 有 {count} 字节，最多 {most} 字节", []form{
		{"%s has %d bytes, must have at most %d", "field;count;most"},
		{"password has %d bytes, must have at most %d", "field=password;count;most"},
		{"subject has %d bytes, must have at most 255", "field=subject;count;most=255"},
		{"expr has %d bytes, must have at most 128", "field=expr;count;most=128"},
		{"addressList has %d bytes with its commas, must have at most %d", "field=addressList;count;most"},
	}},
	{"entries_at_most", "{field} 有 {count} 项，最多 {most} 项", []form{
		{"emails has %d entries, must have at most %d", "field=emails;count;most"},
		{"ids has %d entries, must have at most %d", "field=ids;count;most"},
		{"tags has %d entries, must have at most %d", "field=tags;count;most"},
		{"years has %d years, must have at most %d", "field=years;count;most"},
		{"files change %d jobs, must change at most %d at a time", "field=files;count;most"},
	}},
	{"filter_at_most", "筛选条件匹配的任务超过 {most} 个", []form{
		{"filter selects more than %d jobs, must select at most as many", "field=filter;most"},
	}},
	{"utf8", "{field} 不是有效的 UTF-8 文本", []form{
		{"%s is not valid UTF-8", "field"},
		{"request body is not valid UTF-8", "field=body"},
	}},
	{"control_characters", "{field} 为“{value}”，不得含有控制字符", []form{
		{"%s is %q, must not contain control characters", "field;value"},
	}},
	{"calendar_name", "{field} 为“{value}”，须为 1 到 64 个小写字母、数字、点、连字符或下划线，并以字母开头", []form{
		{"%s is %q, must be 1 to 64 lower-case letters, digits, dots, hyphens and underscores, beginning with a letter", "field;value"},
	}},
	{"key_characters", "{field} 为“{value}”，只能含字母、数字、点、连字符和下划线", []form{
		{"%s is %q, must have letters, digits, dots, hyphens and underscores only", "field;value"},
	}},
	{"user_name", "{field} 为“{value}”，不得含有空格、斜杠和控制字符", []form{
		{"name is %q, must have no blanks, slashes and control characters", "field=name;value"},
	}},
	{"tag", "{field} 含有“{value}”，不得有逗号，首尾不得有空格", []form{
		{"%s contains %q, must have no comma, and no blank at its ends", "field;value"},
	}},
	{"header_text", "{field} 含有空格或非 ASCII 字符，不能用于 HTTP 请求头", []form{
		{"accessToken has a blank or a character outside of ASCII, must be fit for an HTTP header", "field=accessToken"},
	}},

	{"missing", "缺少 {field}", []form{
		{"%s is missing, must be given", "field"},
		{"jobGroup is missing, must be the id of a group (or give appName)", "field=jobGroup"},
		{"glueSource is missing, must be the source", "field=glueSource"},
		{"user is missing, must be the name of a user: the caller is none", "field=user"},
		{"executorHandler is empty, a BEAN job must name its handler", "field=executorHandler"},
		{"addressList is empty, a manual group must have an address", "field=addressList"},
	}},
	{"read_only", "{field} 为只读，不得填写", []form{
		{"%s is given, must be omitted: it is read-only", "field"},
		{"builtIn is true, must be omitted: it is read-only", "field=builtIn"},
		{"hasPassword, provider or addTime is given, must be omitted: they are read-only", "field=hasPassword, provider, addTime"},
		{"updateTime, hasAccessToken or drains is given, must be omitted: they are read-only", "field=updateTime, hasAccessToken, drains"},
	}},
	{"omitted", "{field} 为 {value}，此处不得填写", []form{
		{"id is %d, must be omitted for a new job", "field=id;value"},
		{"id is %d, must be omitted for a new group", "field=id;value"},
		{"id is %d, must be omitted for a new user", "field=id;value"},
		{"change.id is %d, must be omitted", "field=change.id;value"},
	}},
	{"as_in_path", "{field} 为 {value}，须与路径中的 {path} 一致", []form{
		{"id is %d, must be %d as in the path", "field=id;value;path"},
		{"name is %q, must be %q as in the path", "field=name;value;path"},
	}},
	{"unchangeable", "{field} 为“{value}”，须为“{stored}”：不能修改", []form{
		{"name is %q, must be %q: it cannot be changed", "field=name;value;stored"},
	}},
	{"once", "{field} 只能给出一次", []form{
		{"%s is given twice, must be given once", "field"},
		{"%s is given %d times, must be given once", "field;count"},
	}},
	{"exactly_one", "{fields} 中须且只能给出一项", []form{
		{"exactly one of ids and filter must be given", "fields=ids, filter"},
		{"jobGroup and appName are both given, must be one of them", "fields=jobGroup, appName"},
		{"ifUpdated and ifVersion are both given, must be one of them", "fields=ifUpdated, ifVersion"},
		{"%d of all, jobGroup and appName are given, must be exactly one", "count;fields=all, jobGroup, appName"},
	}},
	{"both_or_neither", "{fields} 须同时给出或都不给出", []form{
		{"only one of afterDue and afterId is given, must be both or neither", "fields=afterDue, afterId"},
	}},
	{"together", "{field} 须与 {other} 同时给出", []form{
		{"object is %d, must be together with kind", "field=object;value;other=kind"},
		{"change must be given with the action change, and with no other", "field=change;other=action=change"},
		{"trigger is given, must be given with the action trigger only", "field=trigger;other=action=trigger"},
	}},
	{"all_needed", "没有限定范围，确要选择全部须令 all 为 true", []form{
		{"filter is empty, all must be true to select every job", "field=filter"},
		{"neither before nor keepNewest is given, all must be true to delete every run", "field=all"},
	}},
	{"all_alone", "all 为 true 时不得再给出 {other}", []form{
		{"all is true, must not be together with before or keepNewest", "field=all;other=before, keepNewest"},
	}},
	{"unknown_field", "请求体含有未知字段 {field}", []form{
		{"request body: unknown field %q", "field"},
	}},
	{"unknown_parameter", "{field} 不是 {method} {path} 的参数", []form{
		{"%q is not a parameter of %s %s", "field;method;path"},
	}},
	{"json_type", "{field} 的 JSON 类型为 {value}，须为{allowed}", []form{
		{"%s is a JSON %s, must be %s", "field;value;allowed"},
	}},
	{"body_json_type", "请求体的 JSON 类型为 {value}，须为{allowed}", []form{
		{"request body is a JSON %s, must be %s", "field=body;value;allowed"},
	}},
	{"body", "请求体无法读取：{reason}", []form{
		{"request body: %v", "reason"},
		{"request body: %s", "reason"},
	}},
	{"body_single", "请求体含有多个 JSON 值", []form{
		{"request body has more than one JSON value", ""},
	}},
	{"event_id", "{field} 为“{value}”，须为行号", []form{
		{"Last-Event-ID is %q, must be the number of a line", "field=Last-Event-ID;value"},
	}},
	{"cursor", "{field} 为“{value}”，须为同一排序下上一页的 nextKey", []form{
		{"afterKey is %q, must be nextKey of the previous page, with the same sort", "field=afterKey;value"},
	}},
	{"group_as_read", "{field} 须为读取到的完整执行器，且不含 accessToken", []form{
		{"ifUnchanged lacks appName, title or addressType, must be the whole group as it was read", "field=ifUnchanged"},
		{"ifUnchanged has an accessToken, must be the group as it was read", "field=ifUnchanged"},
	}},
	{"version", "{field} 为 {value}，须为该任务的版本", []form{
		{"ifVersion is %d, must be a version of the job", "field=ifVersion;value"},
	}},
	{"nested", "第 {index} 项：{error}", []form{
		{"edits[%d].%v", "index;error"},
	}},
	{"not_yaml", "不是有效的 YAML：{error}", []form{{"not YAML: %s", "error"}}},
	{"unknown_declared_field", "未知字段“{field}”", []form{{"unknown field %q", "field"}}},
	{"declared_shape", "{field} 为{is}，须为{want}", []form{{"%s is %s, must be %s", "field;is;want"}}},
	{"merges_itself", "映射合并了自身", []form{{"the mapping merges itself", ""}}},
	{"too_many_values", "文件展开别名后的值超过 {most} 个", []form{
		{"the files have more than %d values with their aliases, must have at most as many", "most"},
	}},
	{"owner_of_prune", "删除不再声明的任务时，须给出 {field}", []form{
		{"owner is missing, must be given for jobs that are no longer declared to be deleted", "field=owner"},
	}},
	{"owner_of_code", "{field} 不能为“{value}”，该值属于代码中声明的任务", []form{
		{"owner is %q, must not be that of jobs declared from code", "field=owner;value"},
	}},
	{"owner_differs", "{field} 为“{value}”，须与其他文件的“{other}”一致", []form{
		{"owner is %q, must be %q as in the other files", "field=owner;value;other"},
	}},
	{"declared_twice", "{field} 为“{value}”，只能声明一次", []form{
		{"name is %q, must be declared once", "field=name;value"},
		{"appName is %q, must be declared once", "field=appName;value"},
		{"key is %q, must be declared once for appName %q: %s has it too", "field=key;value;appName;other"},
	}},
	{"declared_group", "{field} 为“{value}”，须为已存在或已声明的执行器的 AppName", []form{
		{"appName is %q, must be the app name of a group that exists or is declared", "field=appName;value"},
	}},
	{"declared_elsewhere", "{field} 为“{value}”，该任务属于 owner“{owner}”", []form{
		{"key is %q, must not be that of a job whose owner is %q", "field=key;value;owner"},
	}},
	{"child_itself", "children 含有“{value}”，须为其他任务", []form{{"children contains %q, must be another job", "field=children;value"}}},
	{"child_pruned", "children 含有“{value}”，该任务不再声明，将被删除", []form{
		{"children contains %q, must not be a job that is deleted because it is no longer declared", "field=children;value"},
	}},
	{"child_unknown", "children 含有“{value}”，须为已存在或已声明的任务的键", []form{
		{"children contains %q, must be the key of a job that exists or is declared", "field=children;value"},
	}},
	{"children_cycle", "子任务又触发了任务自身：{path}", []form{{"children lead back to the job itself: %s", "field=children;path"}}},
	{"two_sources", "glueSource 和 glueSourceFile 只能给出其中一个", []form{
		{"glueSource and glueSourceFile are both given, must be one of them", "field=glueSourceFile"},
	}},
	{"source_outside", "{field} 为“{value}”，须为声明文件所在文件夹内的相对路径", []form{
		{"glueSourceFile is %q, must be a relative path below the folder of the declaration", "field=glueSourceFile;value"},
	}},
	{"source_not_given", "{field} 为“{value}”，须为所给文件之一：没有 {file}", []form{
		{"glueSourceFile is %q, must be one of the given files: there is no %s", "field=glueSourceFile;value;file"},
	}},
	{"declaring_not_permitted", "此调度中心不允许执行器声明任务，除非以 xxlwheel serve --allow-declare 启动", []form{
		{"executors must not declare jobs at this scheduler, which permits it only if started so (xxlwheel serve --allow-declare)", ""},
	}},
	{"shared_token", "该访问令牌由所有执行器共用，须使用所声明任务所属执行器自己的令牌", []form{
		{"access token is that of all executors, must be that of the group whose jobs are declared", ""},
	}},
	{"not_from_code", "任务“{value}”含有 appName 或脚本，代码中的声明不能含有二者", []form{
		{"job %q has an app name or a script, must have neither in a declaration from code", "value"},
	}},
	{"edited_twice", "第 {index} 项修改任务 {job}，每个任务只能修改一次", []form{
		{"edits[%d] is about job %d, must be the only edit of that job", "index;job"},
	}},

	{"not_found", "{kind} {id} 不存在", []form{
		{"%s %d does not exist", "kind;id"},
		{"job %d does not exist", "kind=job;id"},
		{"group %d does not exist", "kind=group;id"},
		{"log %d does not exist", "kind=log;id"},
		{"order %d does not exist", "kind=order;id"},
		{"pause %d does not exist", "kind=pause;id"},
		{"backfill %d does not exist", "kind=backfill;id"},
		{"user %d does not exist", "kind=user;id"},
		{"user %q does not exist", "kind=user;id"},
		{"credential %d does not exist", "kind=credential;id"},
		{"calendar %q does not exist", "kind=calendar;id"},
		{"calendar %q is not stored", "kind=calendar;id"},
	}},
	{"no_credential", "会话或令牌不存在", []form{
		{"no such credential", ""},
	}},
	{"no_version", "任务 {job} 没有版本 {version}", []form{
		{"job %d has no version %d", "job;version"},
		{"job %d has no glue version %d", "job;version"},
	}},
	{"no_text", "没有保存日志 {log} 的执行输出", []form{
		{"no text of log %d is stored", "log"},
	}},
	{"no_call", "没有 {method} {path} 这个接口", []form{
		{"no call %s %s", "method;path"},
	}},
	{"no_provider", "该调度中心未配置 OpenID Connect 登录", []form{
		{"this scheduler has no provider of OpenID Connect (xxlwheel serve --oidc-issuer)", ""},
	}},
	{"no_users", "该服务未启用用户，只能使用令牌", []form{
		{"this server was made without users, only tokens give access", ""},
	}},
	{"group_id", "{field} 为 {value}，须为执行器的编号", []form{
		{"jobGroup is %d, must be the id of a group", "field=jobGroup;value"},
		{"grants name group %d, must be the id of a group, or 0 for all", "field=grants;value"},
	}},
	{"group_app", "{field} 为“{value}”，须为某个执行器的 AppName", []form{
		{"appName is %q, must be the app name of a group", "field=appName;value"},
	}},
	{"group_address", "{field} 含有“{value}”，须为执行器 {group} 的地址", []form{
		{"addressList contains %q, must be an address of group %s", "field=addressList;value;group"},
		{"address is %q, must be an address of group %s", "field=address;value;group"},
	}},
	{"group_twice", "执行器 {value} 出现两次，只能出现一次", []form{
		{"grants name group %d twice, must name it once", "field=grants;value"},
		{"groups name group %d twice, must name it once", "field=groups;value"},
	}},
	{"group_role", "用户 {user} 在执行器 {value} 中没有角色", []form{
		{"groups name group %d, must be groups in which %s has a role", "field=groups;value;user"},
	}},
	{"calendar", "{field} 为“{value}”，须为日历的名称，例如 {example}", []form{
		{"calendar is %q, must be the name of a calendar such as %s", "field=calendar;value;example"},
	}},
	{"child", "{field} 含有 {value}，须为另一任务的编号", []form{
		{"childJobIds contains %d, must be the id of another job", "field=childJobIds;value"},
		{"edits[%d].childJobIds contains %d, must be the id of a job, or -n where edit n of a whole creates another job", "index;value;field=childJobIds"},
	}},
	{"child_cycle", "{field} 含有 {value}，会绕回任务 {job}：{way}", []form{
		{"childJobIds contains %d, must not lead back to job %d: %s", "field=childJobIds;value;job;way"},
	}},
	{"registry_app", "{field} 为“{value}”，须为访问令牌所属的 AppName", []form{
		{"registryKey is %q, must be the app that the access token is for", "field=registryKey;value"},
	}},
	{"registry_queue", "{field} 为“{value}”，须为 nats://app/name，其中 app 与 registryKey 相同", []form{
		{"registryValue is %q, must be nats://app/name with the app of registryKey", "field=registryValue;value"},
	}},
	{"queue_app", "{field} 为“{value}”，须属于调用方所代表的 AppName", []form{
		{"address is %q, must be of the app that the caller acts for", "field=address;value"},
	}},
	{"glue_type", "{field} 为 {value} 的任务没有源码", []form{
		{"glueType is %s, must be another type for the job to have a source", "field=glueType;value"},
	}},

	{"name_taken", "名称“{value}”已被使用", []form{
		{"the name %q is taken by another user", "field=name;value"},
	}},
	{"subject_taken", "该登录身份已属于另一用户", []form{
		{"the subject is taken by another user", "field=subject"},
	}},
	{"app_taken", "AppName“{value}”已被另一执行器使用", []form{
		{"appName %q is taken by group %d", "field=appName;value;group"},
		{"another group has the app name %q already", "field=appName;value"},
	}},
	{"key_taken", "键“{value}”已被执行器 {group} 的另一任务使用", []form{
		{"key is %q, must not be that of another job of group %d", "field=key;value;group"},
		{"key is %q, must not be that of two jobs of group %d", "field=key;value;group"},
	}},
	{"idempotency_key", "{field} 为“{value}”，已被内容不同的触发 {order} 使用，请换一个", []form{
		{"Idempotency-Key is %q, must be a different key: order %d used it with a different body", "field=Idempotency-Key;value;order"},
	}},
	{"has_jobs", "执行器 {group} 仍有任务，不能删除", []form{
		{"group %d still has jobs", "group"},
	}},
	{"calendar_used", "日历“{value}”被 {count} 个任务使用，不能删除", []form{
		{"calendar %q is named by %d jobs, must be named by none to be deleted", "value;count"},
	}},
	{"changed", "任务 {job} 已被修改，请刷新后重试", []form{
		{"job %d was changed meanwhile", "job"},
		{"job %d was changed meanwhile, must have the updateTime %s to be changed by this call", "job;updated"},
	}},
	{"group_changed", "执行器 {group} 已被修改，请刷新后重试", []form{
		{"group %d was changed meanwhile", "group"},
		{"group %d was changed meanwhile, must be as in ifUnchanged to be changed by this call", "group"},
	}},
	{"source_changed", "任务 {job} 的源码已被修改，请刷新后重试", []form{
		{"source of job %d was changed meanwhile, must have the glueUpdated %s to be changed by this call", "job;updated"},
	}},
	{"calendar_changed", "日历“{value}”已被修改或删除，请刷新后重试", []form{
		{"calendar %q was changed meanwhile", "value"},
		{"calendar %q was deleted meanwhile", "value"},
	}},
	{"password_changed", "{user} 的密码已被修改", []form{
		{"password of %s has been changed meanwhile, must be the one that was checked", "user"},
	}},
	{"backfill_changed", "补跑 {id} 已有变化，请刷新后重试", []form{
		{"backfill %d was changed meanwhile", "id"},
	}},
	{"backfill_state", "补跑 {id} 的状态为 {value}，须为 {allowed}", []form{
		{"backfill %d is %s, must be %s", "id;value;allowed"},
	}},
	{"backfill_running", "任务 {job} 正在补跑，请等待其结束或先取消", []form{
		{"a backfill of job %d is running, must end or be cancelled first", "job"},
	}},
	{"run_ended", "日志 {log} 已有结果 {value}，不能终止", []form{
		{"log %d has the result %d, must have none to be killed", "log;value"},
	}},
	{"run_not_sent", "日志 {log} 的调度结果为 {value}，没有执行器接收", []form{
		{"log %d has the trigger code %d, must have %d: no executor accepted the run", "log;value;allowed"},
	}},
	{"run_shard", "日志 {log} 的分片为“{value}”，无法重跑", []form{
		{"log %d has the shard %q, must have index/total to be run again", "log;value"},
	}},
	{"all_drained", "所选地址均已停用，请选择其他地址，或先恢复", []form{
		{"addressList has drained addresses only, must have another one, or a drain must be undone first", "field=addressList"},
	}},
	{"drains_at_most", "该执行器已停用 {count} 个地址，最多 {most} 个", []form{
		{"%d addresses of the group are drained, must be at most %d", "count;most"},
	}},
	{"not_drained", "地址“{value}”没有停用", []form{
		{"address %q is not drained", "value"},
	}},
	{"tokens_at_most", "用户 {user} 已有 {count} 个令牌，最多 {most} 个", []form{
		{"user %d has %d tokens, must have less than %d before another one is created", "user;count;most"},
	}},
	{"last_admin", "用户 {user} 是最后一个可以登录的管理员", []form{
		{"user %d is the last administrator who can sign in, there must be another one", "user"},
	}},
	{"first_admin", "第一个用户 {user} 须为全部执行器的管理员，且可以登录", []form{
		{"user %q would be the first one, must be an administrator of all groups who can sign in", "user"},
	}},
	{"users_exist", "已有用户", []form{
		{"there are users already", ""},
	}},
	{"old_password", "旧密码与 {user} 的密码不符", []form{
		{"old is not the current password of %s", "field=old;user"},
	}},
	{"wrong_login", "用户名或密码错误", []form{
		{"the name or the password is wrong", ""},
	}},
	{"provider_refused", "{provider} 未能登录该用户：{reason}", []form{
		{"%s did not sign the user in: %s", "provider;reason"},
	}},
	{"provider_away", "{provider} 没有响应，请使用用户名和密码登录，或稍后重试", []form{
		{"%s does not answer, sign in by name and password or try again later", "provider"},
	}},
	{"session_ended", "会话已结束，请重新登录", []form{
		{"the session has ended, sign in again", ""},
	}},
	{"wrong_token", "访问令牌错误", []form{
		{"The access token is wrong.", ""},
	}},
	{"wrong_link", "链接已使用或有误，重启调度中心可获得新链接", []form{
		{"the link has been used or is wrong, restart the scheduler for a new one", ""},
	}},
	{"no_role", "登录服务没有授予该用户任何角色，请联系管理员", []form{
		{"the provider gives this user no role here, ask an administrator", ""},
	}},
	{"needs_role", "需要角色 {role}", []form{
		{"this needs the role %s for group %d", "role;group"},
		{"%s %s needs the role %s", "method;path;role"},
	}},
	{"needs_role_for_all", "需要全部执行器的角色 {role}", []form{
		{"this needs the role %s for all groups", "role"},
	}},
	{"needs_user", "该接口仅供用户使用", []form{
		{"this call is for users, and the caller is none", ""},
	}},
	{"needs_session", "该接口需要登录会话，不能使用令牌", []form{
		{"this call needs a session, and the caller has a token", ""},
	}},
	{"too_many_tries", "尝试次数过多，请 {seconds} 秒后再试", []form{
		{"too many tries, try again in %d seconds", "seconds"},
	}},
	{"too_many_calls", "同时进行的同类请求过多，请 1 秒后再试", []form{
		{"too many calls of this kind at the same time, try again in 1 second", ""},
		{"too many passwords are checked at the same time, try again in 1 second", ""},
		{"another test of the alarms is in progress, try again later", ""},
	}},
	{"too_many_listeners", "连接数已达 {most}，请稍后再试", []form{
		{"%d listeners are connected, must be fewer than %d", "count;most"},
		{"%d runs are watched, must be fewer than %d", "count;most"},
	}},
	{"no_lease", "调度节点“{value}”没有租约", []form{
		{"scheduler %q holds no lease", "value"},
	}},
	{"last_scheduler", "没有其他调度节点可以调度任务，至少须有一个", []form{
		{"no other scheduler can plan jobs, one must", ""},
	}},
	{"node_runs", "调度节点“{node}”正在运行，须先停止全部节点才能更改时区", []form{
		{"node %q runs, the zone of a store can be changed only while no node runs", "node"},
	}},
	{"scheduler_works", "调度节点 {node} 正在使用其中一个存储，须停止几秒后再复制", []form{
		{"scheduler %s holds a lease on one of the stores, must be stopped, and its lease must expire", "node"},
	}},
	{"target_not_empty", "目标存储的表 {table} 已有数据，须为空", []form{
		{"the target has rows in %s, must be empty", "table"},
	}},
	{"fires_claimed", "有触发正在下发，须连同历史一起复制，或等调度节点处理完", []form{
		{"fires are being handed over, which needs the history: copy it, or let a scheduler finish them", ""},
	}},
	{"stopping", "该节点正在停止，请连接其他节点", []form{
		{"this node is stopping, listen on another one", ""},
	}},
	{"no_executor_calls", "此服务不调用执行器，须改用同一存储的其他服务", []form{
		{"this server calls no executors, another one of the store must be asked", ""},
	}},
	{"no_queue", "该调度节点没有消息队列，须在启动时指定（xxlwheel serve --queue）", []form{
		{"this scheduler has no queue, must be started with one (xxlwheel serve --queue)", ""},
	}},
	{"no_takeover", "未指定 XXL-JOB 数据库，须在启动调度节点时指定（xxlwheel serve --takeover-from）", []form{
		{"no database of XXL-JOB is named, must be named when the scheduler is started (xxlwheel serve --takeover-from)", ""},
	}},
	{"takeover_failed", "无法读取 XXL-JOB 数据库：{reason}", []form{
		{"the database of XXL-JOB cannot be read: %v", "reason"},
	}},
	{"takeover_other_name", "曾从 {before} 接管任务，{from} 可能是同一数据库的另一名称：若是，指定其名称（xxlwheel takeover --source）；若是另一数据库，指定此名称", []form{
		{"jobs were taken from %s before: if this is the same database under another name, give that name (xxlwheel takeover --source), and if it is another database, give %s", "before;from"},
	}},
	{"takeover_own_tables", "本产品的调度节点曾使用该数据库：store copy 还会带上设置、暂停、密钥和账号", []form{
		{"xxlwheel has worked on this database: xxlwheel store copy also takes settings, pauses, keys and accounts", ""},
	}},
	{"takeover_group_joins", "其任务归入存储中 AppName 相同的执行器 {group}", []form{
		{"its jobs join the group of this app name that the store has, %d", "group"},
	}},
	{"takeover_group_twice", "与执行器 {group} 的 AppName 相同，其任务归入该执行器", []form{
		{"has the app name of group %d, which its jobs join", "group"},
	}},
	{"takeover_group_broken", "修正之前无法保存：{reason}", []form{
		{"cannot be saved until it is mended: %v", "reason"},
	}},
	{"takeover_truncated", "{field} 为“{value}”，存储最多容纳 {most} 个字符，已截断", []form{
		{"title is %q, the store has room for %d characters", "field=title;value;most"},
	}},
	{"takeover_children", "子任务为 {value}，只保留 {kept}：其余的不存在，或就是该任务自身", []form{
		{"children are %v, is taken with %v: the others do not exist, or are the job itself", "value;kept"},
	}},
	{"takeover_replaced", "{field} 改为“{value}”，原为“{was}”", []form{
		{"%s is %q, was %q", "field;value;was"},
	}},
	{"takeover_negative", "executorFailRetryCount 为 {retries}，executorTimeout 为 {timeout}，负数改为 0", []form{
		{"executorFailRetryCount is %d and executorTimeout is %v, negative ones become 0", "retries;timeout"},
	}},
	{"takeover_no_room", "{field} 有 {value} 个字符，存储最多容纳 {most} 个", []form{
		{"executorParam has %d characters, the store has room for %d", "field=executorParam;value;most"},
	}},
	{"takeover_schedule_broken", "修正调度配置之前无法启动：{reason}", []form{
		{"cannot be started until its schedule is mended: %v", "reason"},
	}},
	{"takeover_schedule_lenient", "scheduleConf 为“{value}”，只有 XXL-JOB 能识别：请改为“{instead}”，或以 xxl34 方言启动调度中心（xxlwheel serve --cron-profile=xxl34；{reason}）", []form{
		{"scheduleConf is %q, which XXL-JOB alone reads: write %q, or start schedulers with the profile xxl34 (xxlwheel serve --cron-profile=xxl34; %v)", "value;instead;reason"},
	}},
	{"takeover_schedule_rewrite", "scheduleConf 为“{value}”，只有 XXL-JOB 能识别：请重新编写，或以 xxl34 方言启动调度中心（xxlwheel serve --cron-profile=xxl34）", []form{
		{"scheduleConf is %q, which XXL-JOB alone reads: write it anew, or start schedulers with the profile xxl34 (xxlwheel serve --cron-profile=xxl34)", "value"},
	}},
	{"takeover_versions_left", "有 {count} 个脚本版本所属的任务不存在或未接管", []form{
		{"%d versions of scripts belong to jobs that do not exist or were left", "count"},
	}},
	{"takeover_user_exists", "存储中已有或曾有同名用户", []form{
		{"the store has a user with this name, or had one", ""},
	}},
	{"executor_failed", "执行器 {address}：{reason}", []form{
		{"executor %s: %v", "address;reason"},
	}},
}

// kinds are the things that may not exist, in Chinese.
var kinds = map[string]string{
	"job": "任务", "group": "执行器", "log": "日志", "order": "触发", "pause": "暂停", "backfill": "补跑",
	"user": "用户", "credential": "令牌", "calendar": "日历", "session": "会话", "token": "令牌",
}

// reasons are why a provider did not sign a user in.
var reasons = map[string]string{
	"the answer does not belong to this browser, or came too late": "该应答不属于此浏览器，或已超时",
	"it did not accept the code":                                   "登录提供方未接受授权码",
	"its token is not valid":                                       "登录提供方的令牌无效",
	"its token belongs to another sign-in":                         "登录提供方的令牌属于另一次登录",
	"its token cannot be read":                                     "登录提供方的令牌无法读取",
	"what it says of the user is of another one":                   "登录提供方返回的用户信息属于其他用户",
}

// shapes are what a value in a file or in JSON is, or has to be.
var shapes = map[string]string{
	"a list": "列表", "a mapping": "映射", "a text": "文本", "true or false": " true 或 false", "an integer": "整数",
	"a string": "字符串", "a number": "数字", "an object": "对象",
}
