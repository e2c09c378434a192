#!/bin/sh
# Makes java-RELEASE.sql: what an admin of XXL-JOB leaves in its database, made by its own calls.
# Usage: make-dumps.sh RELEASE ADMIN.jar TABLES.sql SOCKET PORT
# TABLES.sql is the release's own. A MariaDB without a password for root listens at SOCKET and PORT.
# xxlwheel, java, curl and mariadb-dump are on PATH. The clock of everything is UTC.
# Comments of tables and the sample rows of the release are not kept.
set -eu
release=$1 jar=$2 tables=$3 socket=$4 port=$5
out=$(cd "$(dirname "$0")" && pwd)/java-$release.sql
db=xxl_dump_$(echo "$release" | tr -cd 0-9)
work=$(mktemp -d)
sql() { mariadb -uroot -S "$socket" "$@"; }
admin='' executor=''
finish() {
	for pid in $admin $executor; do kill "$pid" 2>/dev/null || true; done
	wait
	rm -rf "$work"
}
trap finish EXIT

sql -e "DROP DATABASE IF EXISTS $db; CREATE OR REPLACE USER 'dump'@'127.0.0.1' IDENTIFIED BY 'dump'; GRANT ALL ON *.* TO 'dump'@'127.0.0.1'"
sed "s/\`xxl_job\`/\`$db\`/; s/^use xxl_job/use $db/" "$tables" | sql
TZ=UTC java -jar "$jar" --server.port=18093 --spring.datasource.username=dump --spring.datasource.password=dump \
	"--spring.datasource.url=jdbc:mysql://127.0.0.1:$port/$db?characterEncoding=UTF-8&serverTimezone=UTC" >"$work/admin.log" 2>&1 &
admin=$!
at=http://127.0.0.1:18093/xxl-job-admin
until curl -sf -o "$work/page" $at/; do sleep 1; done

case $release in
2.*) login=login add=save remove=remove ids=id jobadd=add useradd=add ;;
*) login=auth/doLogin add=insert remove=delete ids='ids[]' jobadd=insert useradd=insert ;;
esac
# call PATH NAME=VALUE... prints the answer and fails unless its code is 200.
call() {
	path=$1
	shift
	for field; do
		set -- "$@" --data-urlencode "$field"
		shift
	done
	answer=$(curl -s -b "$work/jar" -c "$work/jar" "$@" "$at/$path")
	case $answer in
	*'"code":200'*) echo "$answer" ;;
	*) echo "$path: $answer" >&2 && return 1 ;;
	esac
}
# job NAME=VALUE... adds a job and sets id.
job() {
	for default in author=wei alarmEmail=ops@example.com scheduleType=NONE misfireStrategy=DO_NOTHING executorRouteStrategy=FIRST \
		executorBlockStrategy=SERIAL_EXECUTION executorTimeout=0 executorFailRetryCount=0 glueType=BEAN executorHandler=demoJobHandler \
		glueRemark=begin; do
		given=''
		for field; do
			case $field in "${default%%=*}="*) given=yes ;; esac
		done
		test -n "$given" || set -- "$@" "$default"
	done
	call jobinfo/$jobadd "$@" >/dev/null
	id=$(sql -N "$db" -e 'SELECT MAX(id) FROM xxl_job_info')
}
call $login userName=admin password=123456 >/dev/null
for old in $(sql -N "$db" -e 'SELECT id FROM xxl_job_info'); do call jobinfo/$remove "$ids=$old" >/dev/null; done
call jobgroup/$add appname=billing-app title=账单 addressType=0 >/dev/null
call jobgroup/$add appname=report-app title=Reports addressType=1 addressList=http://127.0.0.1:18094/ >/dev/null
for old in $(sql -N "$db" -e "SELECT id FROM xxl_job_group WHERE app_name LIKE 'xxl-job-executor%'"); do call jobgroup/$remove "$ids=$old" >/dev/null; done
billing=$(sql -N "$db" -e "SELECT id FROM xxl_job_group WHERE app_name = 'billing-app'")
reports=$(sql -N "$db" -e "SELECT id FROM xxl_job_group WHERE app_name = 'report-app'")

xxlwheel executor --admin $at --access-token default_token --app report-app --listen 127.0.0.1:18094 --data-dir "$work/executor" >"$work/executor.log" 2>&1 &
executor=$!

job jobGroup="$reports" jobDesc=script glueType=GLUE_SHELL executorHandler= glueSource='echo begin'
script=$id
for version in one two three; do
	call jobcode/save id="$script" glueSource="echo $version 第" glueRemark="version $version" >/dev/null
	sleep 1
done
job jobGroup="$billing" jobDesc=对账 scheduleType=CRON scheduleConf='0 0 2 * * ?' misfireStrategy=FIRE_ONCE_NOW executorRouteStrategy=ROUND \
	executorParam="a=1 & it's \"b\" 😀" executorTimeout=60 executorFailRetryCount=2 childJobId="$script"
call jobinfo/start "$ids=$id" >/dev/null
job jobGroup="$billing" jobDesc=lenient scheduleType=CRON scheduleConf='0 0/0 3 ? * MONDAY'
call jobinfo/start "$ids=$id" >/dev/null
job jobGroup="$reports" jobDesc=often scheduleType=FIX_RATE scheduleConf=2
often=$id
for route in LAST RANDOM CONSISTENT_HASH LEAST_FREQUENTLY_USED LEAST_RECENTLY_USED FAILOVER BUSYOVER SHARDING_BROADCAST; do
	job jobGroup="$billing" jobDesc="by $route" executorRouteStrategy=$route executorBlockStrategy=DISCARD_LATER
done
for kind in GROOVY PYTHON PHP NODEJS POWERSHELL; do
	job jobGroup="$reports" jobDesc="in $kind" glueType=GLUE_$kind executorHandler= executorBlockStrategy=COVER_EARLY glueSource="begin $kind"
	call jobcode/save id="$id" glueSource="source of $kind" glueRemark="version of $kind" >/dev/null
done
call user/$useradd username=liming password=123456 role=0 permission="$reports" >/dev/null
call user/$useradd username=wangfang password=123456 role=1 permission= >/dev/null

call jobinfo/start "$ids=$often" >/dev/null
call jobinfo/trigger id="$script" executorParam=once addressList= >/dev/null
sleep 12
sql "$db" -e 'SELECT trigger_code, handle_code, COUNT(*) FROM xxl_job_log GROUP BY 1, 2' >&2
kill $admin # the jobs stay on in its tables
wait $admin || true
admin=''
mariadb-dump -uroot -S "$socket" --skip-comments --compact --skip-opt --create-options --complete-insert --hex-blob --default-character-set=utf8mb4 "$db" |
	sed -E "/^ |^\)/s/ COMMENT[ =]'[^']*'//; s/ AUTO_INCREMENT=[0-9]+//; /^\/\*/d; /^$/d
		s/((^|[^0-9.])(10|172|192)\.[0-9]+\.[0-9]+\.[0-9]+)/\2192.0.2.1/g" >"$out"
wc -c "$out"
