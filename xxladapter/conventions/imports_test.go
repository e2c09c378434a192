package conventions

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/xxlwheel/xxlwheel/"

// A rule says which packages of this repository a package may import in its production code, and
// why. Imports point down: to the domain's words, to pure functions, to what a package hands its
// work to. Only commands know which store is in use.
type rule struct {
	may     []string
	because string
}

// rules has a rule for each package. An allowed import that no file makes is an error too, so that
// a dependency that was removed cannot come back unnoticed.
var rules = map[string]rule{
	"hashedwheel":                {[]string{"hashedwheel/internal/wheel"}, "clock, locks and goroutine stand around pure wheels"},
	"hashedwheel/internal/wheel": {nil, "wheels know no clock, lock or goroutine"},
	"hashedwheel/time":           {[]string{"hashedwheel"}, "it is package time on that timer"},

	"xxladapter":                 {[]string{"xxladapter/errorrule"}, "the domain's words depend on nothing but the names of its rules"},
	"xxladapter/errorrule":       {nil, "rules are names"},
	"xxladapter/cron":            {nil, "schedules are pure, and of use without a scheduler"},
	"xxladapter/wire":            {nil, "the protocol is defined by XXL-JOB alone"},
	"xxladapter/transition":      {[]string{"xxladapter", "xxladapter/errorrule"}, "what becomes of a fire is decided by pure functions of the domain"},
	"xxladapter/access":          {[]string{"xxladapter", "xxladapter/errorrule"}, "who may do what does not depend on who asks"},
	"xxladapter/forecast":        {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/cron"}, "what will fire follows from the jobs alone"},
	"xxladapter/declare":         {[]string{"xxladapter", "xxladapter/errorrule"}, "what declared jobs differ in follows from files and rows alone"},
	"xxladapter/fromxxljob":      {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/cron", "xxladapter/graph"}, "what is taken from a database of XXL-JOB follows from rows alone"},
	"xxladapter/graph":           {nil, "layers follow from ids alone"},
	"xxladapter/preview":         {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/cron"}, "what a schedule will do follows from the schedule and a calendar alone"},
	"xxladapter/assistant":       {nil, "it is a client of the API, which it knows from its document"},
	"xxladapter/accounts/openid": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access"}, "a provider is asked over the network, and knows no store; access compares secrets"},
	"xxladapter/accounts":        {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access"}, "who signs in is asked of the store; what they may do then is said by access"},
	"xxladapter/why":             {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/cron", "xxladapter/triggermsg", "xxladapter/wire"}, "reasons are found in records alone, by the messages of the protocol"},
	"xxladapter/triggermsg":      {[]string{"xxladapter"}, "the text of a column is written and read in one place"},
	"xxladapter/route":           {[]string{"xxladapter"}, "an address is chosen by a function of its arguments"},

	"xxladapter/memstore": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/transition"}, "the rules of fires are the same in every store"},

	"xxladapter/sqlstore": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/cron", "xxladapter/fromxxljob",
		"xxladapter/sqlstore/internal/database", "xxladapter/sqlstore/internal/records", "xxladapter/sqlstore/internal/transfer",
		"xxladapter/sqlstore/internal/journaled", "xxladapter/sqlstore/internal/sharedlog",
		"xxladapter/sqlstore/internal/sqlite", "xxladapter/sqlstore/internal/mysql", "xxladapter/sqlstore/internal/postgres"},
		"a store knows the domain, and nobody who uses it; this is the face of three databases. What is taken over is decided by pure functions"},
	"xxladapter/sqlstore/internal/database": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/gather", "xxladapter/sqlstore/internal/network"},
		"what all subjects need of a database knows none of them; its time limits are those of the network"},
	"xxladapter/sqlstore/internal/audit": {[]string{"xxladapter", "xxladapter/sqlstore/internal/database"},
		"changes are recorded whatever they change"},
	"xxladapter/sqlstore/internal/users": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/audit", "xxladapter/sqlstore/internal/database"},
		"people are kept beside what they change, and know nothing of it"},
	"xxladapter/sqlstore/internal/registry": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/audit", "xxladapter/sqlstore/internal/database"},
		"groups are kept whatever their executors run"},
	"xxladapter/sqlstore/internal/leases": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/audit", "xxladapter/sqlstore/internal/database"},
		"terms are given whatever is planned under them"},
	"xxladapter/sqlstore/internal/figures": {[]string{"xxladapter", "xxladapter/sqlstore/internal/database", "xxladapter/transition"},
		"each outcome is counted in the same way, by a claim, a result or a sweep"},
	"xxladapter/sqlstore/internal/runs": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/audit", "xxladapter/sqlstore/internal/database",
		"xxladapter/sqlstore/internal/figures", "xxladapter/transition"},
		"log rows are kept whatever fires have made them; what is deleted has been counted"},
	"xxladapter/sqlstore/internal/records": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/audit", "xxladapter/sqlstore/internal/database",
		"xxladapter/sqlstore/internal/figures", "xxladapter/sqlstore/internal/gather", "xxladapter/sqlstore/internal/leases",
		"xxladapter/sqlstore/internal/network", "xxladapter/sqlstore/internal/registry", "xxladapter/sqlstore/internal/runs",
		"xxladapter/sqlstore/internal/users", "xxladapter/transition"},
		"the store of all databases is composed of subjects and knows no database; its time limits are those of the network"},
	"xxladapter/sqlstore/internal/transfer": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/audit", "xxladapter/sqlstore/internal/database",
		"xxladapter/sqlstore/internal/figures", "xxladapter/sqlstore/internal/records", "xxladapter/sqlstore/internal/registry",
		"xxladapter/sqlstore/internal/runs", "xxladapter/sqlstore/internal/users",
		"xxladapter/fromxxljob", "xxladapter/transition"},
		"whole stores are copied and taken over from above their subjects"},
	"xxladapter/sqlstore/internal/journaled": {[]string{"xxladapter", "xxladapter/sqlstore/internal/audit", "xxladapter/sqlstore/internal/database",
		"xxladapter/sqlstore/internal/gather", "xxladapter/sqlstore/internal/journal", "xxladapter/sqlstore/internal/records",
		"xxladapter/sqlstore/internal/runs", "xxladapter/sqlstore/internal/sharedlog", "xxladapter/transition"},
		"calls end in memory and in a journal, and the tables follow; it knows no database"},
	"xxladapter/sqlstore/internal/journal": {nil, "records are kept whatever they mean"},
	"xxladapter/sqlstore/internal/sharedlog": {[]string{"xxladapter/sqlstore/internal/journal"},
		"records are shared whatever they mean, with the marks and errors of a journal; it knows no server"},
	"xxladapter/sqlstore/internal/network":   {nil, "connections are watched whatever they carry"},
	"xxladapter/sqlstore/internal/gather":    {nil, "calls are gathered whatever they do"},
	"xxladapter/sqlstore/internal/migration": {nil, "tables are brought up to date whatever they hold"},
	"xxladapter/sqlstore/internal/sqlite": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/database", "xxladapter/sqlstore/internal/figures",
		"xxladapter/sqlstore/internal/gather", "xxladapter/sqlstore/internal/journal", "xxladapter/sqlstore/internal/journaled",
		"xxladapter/sqlstore/internal/migration", "xxladapter/sqlstore/internal/records", "xxladapter/sqlstore/internal/runs"}, "a database knows no other one"},
	"xxladapter/sqlstore/internal/mysql": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/database", "xxladapter/sqlstore/internal/figures",
		"xxladapter/sqlstore/internal/migration", "xxladapter/sqlstore/internal/network", "xxladapter/sqlstore/internal/records",
		"xxladapter/sqlstore/internal/registry", "xxladapter/sqlstore/internal/runs", "xxladapter/sqlstore/internal/transfer"}, "a database knows no other one"},
	"xxladapter/sqlstore/internal/postgres": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore/internal/database", "xxladapter/sqlstore/internal/figures",
		"xxladapter/sqlstore/internal/migration", "xxladapter/sqlstore/internal/network", "xxladapter/sqlstore/internal/records",
		"xxladapter/sqlstore/internal/registry", "xxladapter/sqlstore/internal/runs"}, "a database knows no other one"},
	"xxladapter/sqlstore/internal/fixture": {[]string{"xxladapter", "xxladapter/sqlstore/internal/database", "xxladapter/sqlstore/internal/records", "xxladapter/storetest", "xxladapter/testserver"},
		"tests of several databases begin with it"},

	"xxladapter/redisstore": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/sqlstore"}, "it keeps the log of a SQL store"},

	"xxladapter/queue/delivery": {[]string{"xxladapter"}, "what executors and queues agree on knows neither"},
	"xxladapter/queue": {[]string{"xxladapter", "xxladapter/queue/delivery", "xxladapter/queue/internal/broker",
		"xxladapter/queue/internal/jetstream", "xxladapter/queue/internal/streams"},
		"runs are carried whatever they do; this is the face of several brokers"},
	"xxladapter/queue/internal/broker": {[]string{"xxladapter", "xxladapter/queue/delivery"},
		"what all brokers share knows none of them"},
	"xxladapter/queue/internal/jetstream": {[]string{"xxladapter", "xxladapter/queue/delivery", "xxladapter/queue/internal/broker"},
		"a broker knows no other one"},
	"xxladapter/queue/internal/streams": {[]string{"xxladapter", "xxladapter/queue/delivery", "xxladapter/queue/internal/broker"},
		"a broker knows no other one"},
	"xxladapter/elect":           {[]string{"xxladapter"}, "an elector says who may take partitions, whatever these are; the store knows none"},
	"xxladapter/elect/etcd":      {[]string{"xxladapter/elect"}, "it alone knows etcd"},
	"xxladapter/elect/zookeeper": {[]string{"xxladapter/elect"}, "it alone knows ZooKeeper"},
	"xxladapter/executor": {[]string{"xxladapter", "xxladapter/access", "xxladapter/queue/delivery", "xxladapter/wire"},
		"an executor serves the protocol or takes runs from any queue, and checks tokens; applications embed it without a scheduler or a broker"},
	"xxladapter/trigger/internal/post": {nil, "a request is sent whatever it asks for"},
	"xxladapter/trigger": {[]string{"xxladapter", "xxladapter/access", "xxladapter/cron", "xxladapter/route", "xxladapter/trigger/internal/post", "xxladapter/triggermsg", "xxladapter/wire"},
		"a hand-over chooses an address, speaks the protocol, hides tokens in errors, and finds a fixed delay's next time"},
	"xxladapter/spread": {[]string{"xxladapter", "xxladapter/access"}, "fires are given to nodes whatever they do; access checks the token"},
	"xxladapter/scheduler": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/cron", "xxladapter/spread", "hashedwheel"},
		"due times come from schedules and wait in the wheel; who takes fires is an interface, which node of several is a pure function"},
	"xxladapter/maintenance": {[]string{"xxladapter", "xxladapter/trigger", "xxladapter/wire"},
		"schedules resume by the rule of trigger, and run logs are fetched over the protocol"},
	"xxladapter/alarm": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access", "xxladapter/triggermsg"},
		"failed runs are found in the store alone; what no webhook may reach, no executor may either"},
	"xxladapter/events": {[]string{"xxladapter", "xxladapter/errorrule"}, "changes are found in the store alone"},
	"xxladapter/admin/internal/api": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access", "xxladapter/declare", "xxladapter/errortext", "xxladapter/wire"},
		"the machinery of calls knows no subject; it shows the problems that package declare finds"},
	"xxladapter/admin/internal/audit": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/admin/internal/api"},
		"rows are read from the store alone, whatever they are about"},
	"xxladapter/admin/internal/executorapi": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access", "xxladapter/admin/internal/api", "xxladapter/trigger", "xxladapter/wire"},
		"executors speak the protocol; what becomes of jobs is decided behind an interface"},
	"xxladapter/admin/internal/figures": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/admin/internal/api"},
		"figures are read from the store alone, which has counted them"},
	"xxladapter/admin/internal/nodes": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/admin/internal/api"},
		"schedulers are known by their leases in the store alone"},
	"xxladapter/admin/internal/runs": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access", "xxladapter/admin/internal/api", "xxladapter/wire"},
		"runs are shown from the store and asked of executors; jobs are known by their ids"},
	"xxladapter/admin/internal/users": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access", "xxladapter/accounts", "xxladapter/accounts/openid", "xxladapter/admin/internal/api", "xxladapter/wire"},
		"who calls is found by accounts and a provider; no other subject is known"},
	"xxladapter/admin": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access", "xxladapter/accounts", "xxladapter/admin/internal/api", "xxladapter/admin/internal/audit", "xxladapter/admin/internal/executorapi", "xxladapter/admin/internal/figures", "xxladapter/admin/internal/nodes", "xxladapter/admin/internal/runs", "xxladapter/admin/internal/users", "xxladapter/cron", "xxladapter/declare", "xxladapter/events", "xxladapter/forecast", "xxladapter/graph", "xxladapter/accounts/openid", "xxladapter/preview", "xxladapter/errortext", "xxladapter/fromxxljob", "xxladapter/why", "xxladapter/wire", "xxladapter/trigger"},
		"executors call it by the protocol, operators preview schedules, probe executors and ask why a job did not run"},
	"xxladapter/errortext":        {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/cron"}, "each rule has its text, whichever package is about it; the errors of cron have types of their own"},
	"xxladapter/console":          {[]string{"xxladapter/wire"}, "the console is files; it calls the API from the browser, and knows the paths of XXL-JOB's"},
	"xxladapter/console/apitypes": {[]string{"xxladapter", "xxladapter/admin"}, "it writes the API's types down"},
	"xxladapter/metrics": {[]string{"xxladapter", "xxladapter/scheduler", "xxladapter/trigger", "hashedwheel"},
		"it reads the figures of the parts that it shows"},
	"xxladapter/telemetry": {[]string{"xxladapter", "xxladapter/executor", "xxladapter/trigger", "xxladapter/wire"},
		"spans are made of the events of hand-overs and of runs"},
	"xxladapter/node": {[]string{"xxladapter", "xxladapter/errorrule", "xxladapter/access", "xxladapter/accounts", "xxladapter/admin", "xxladapter/alarm", "xxladapter/console", "xxladapter/cron", "xxladapter/queue/delivery", "xxladapter/elect", "xxladapter/maintenance",
		"xxladapter/metrics", "xxladapter/accounts/openid", "xxladapter/scheduler", "xxladapter/spread", "xxladapter/fromxxljob", "xxladapter/trigger", "xxladapter/wire"}, "it wires the parts of a process together, on any store and any broker"},
	"xxladapter/cmd/xxlwheel": {[]string{"xxladapter/assistant", "xxladapter/checker", "xxladapter/node",
		"xxladapter/cmd/xxlwheel/internal/alarms", "xxladapter/cmd/xxlwheel/internal/audit",
		"xxladapter/cmd/xxlwheel/internal/client", "xxladapter/cmd/xxlwheel/internal/command",
		"xxladapter/cmd/xxlwheel/internal/completion",
		"xxladapter/cmd/xxlwheel/internal/declared", "xxladapter/cmd/xxlwheel/internal/demo",
		"xxladapter/cmd/xxlwheel/internal/groups", "xxladapter/cmd/xxlwheel/internal/jobs",
		"xxladapter/cmd/xxlwheel/internal/observe", "xxladapter/cmd/xxlwheel/internal/printing",
		"xxladapter/cmd/xxlwheel/internal/runs", "xxladapter/cmd/xxlwheel/internal/sample",
		"xxladapter/cmd/xxlwheel/internal/schedules", "xxladapter/cmd/xxlwheel/internal/serve",
		"xxladapter/cmd/xxlwheel/internal/settings", "xxladapter/cmd/xxlwheel/internal/stores",
		"xxladapter/cmd/xxlwheel/internal/users"}, "it is the command line: it names the commands, and runs one"},
	"xxladapter/cmd/xxlwheel/internal/alarms": {[]string{"xxladapter", "xxladapter/access", "xxladapter/alarm",
		"xxladapter/cmd/xxlwheel/internal/client", "xxladapter/cmd/xxlwheel/internal/command",
		"xxladapter/cmd/xxlwheel/internal/flags", "xxladapter/cmd/xxlwheel/internal/printing"},
		"channels are described by flags, and tested with or without a scheduler"},
	"xxladapter/cmd/xxlwheel/internal/audit": {[]string{"xxladapter", "xxladapter/cmd/xxlwheel/internal/client",
		"xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/flags",
		"xxladapter/cmd/xxlwheel/internal/printing"}, "the audit is read over the API; a file is verified alone"},
	"xxladapter/cmd/xxlwheel/internal/client": {[]string{"xxladapter/access", "xxladapter/declare",
		"xxladapter/wire", "xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/flags",
		"xxladapter/cmd/xxlwheel/internal/printing"}, "it calls the API, and knows no command"},
	"xxladapter/cmd/xxlwheel/internal/command": {[]string{"xxladapter/cmd/xxlwheel/internal/printing"},
		"what every command works with knows none of them"},
	"xxladapter/cmd/xxlwheel/internal/completion": {[]string{"xxladapter", "xxladapter/cron"},
		"the values of flags are those that the API and the cron dialects list"},
	"xxladapter/cmd/xxlwheel/internal/daemon": {[]string{"xxladapter/access", "xxladapter/console",
		"xxladapter/queue", "xxladapter/telemetry", "xxladapter/cmd/xxlwheel/internal/command",
		"xxladapter/cmd/xxlwheel/internal/flags"}, "what serve, executor and demo share knows none of them"},
	"xxladapter/cmd/xxlwheel/internal/declared": {[]string{"xxladapter", "xxladapter/declare",
		"xxladapter/cmd/xxlwheel/internal/client", "xxladapter/cmd/xxlwheel/internal/command",
		"xxladapter/cmd/xxlwheel/internal/flags", "xxladapter/cmd/xxlwheel/internal/printing"},
		"files are read and written here; the scheduler compares them"},
	"xxladapter/cmd/xxlwheel/internal/demo": {[]string{"xxladapter", "xxladapter/console", "xxladapter/cron",
		"xxladapter/executor", "xxladapter/node", "xxladapter/sqlstore", "xxladapter/trigger",
		"xxladapter/cmd/xxlwheel/internal/client", "xxladapter/cmd/xxlwheel/internal/command",
		"xxladapter/cmd/xxlwheel/internal/daemon", "xxladapter/cmd/xxlwheel/internal/printing",
		"xxladapter/cmd/xxlwheel/internal/sample", "xxladapter/cmd/xxlwheel/internal/settings"},
		"it is a scheduler and executors in one process"},
	"xxladapter/cmd/xxlwheel/internal/flags": {[]string{"xxladapter/cmd/xxlwheel/internal/command"},
		"values of flags know no command"},
	"xxladapter/cmd/xxlwheel/internal/groups": {[]string{"xxladapter/cmd/xxlwheel/internal/client",
		"xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/flags",
		"xxladapter/cmd/xxlwheel/internal/printing"}, "groups are managed over the API alone"},
	"xxladapter/cmd/xxlwheel/internal/jobs": {[]string{"xxladapter", "xxladapter/cmd/xxlwheel/internal/client",
		"xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/flags",
		"xxladapter/cmd/xxlwheel/internal/printing", "xxladapter/cmd/xxlwheel/internal/runs"},
		"jobs are managed over the API alone; what a trigger starts is a run"},
	"xxladapter/cmd/xxlwheel/internal/observe": {[]string{"xxladapter", "xxladapter/cmd/xxlwheel/internal/client",
		"xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/printing",
		"xxladapter/cmd/xxlwheel/internal/schedules"},
		"a scheduler is looked at over the API alone; its overview shows pauses"},
	"xxladapter/cmd/xxlwheel/internal/printing": {[]string{"xxladapter", "xxladapter/declare"},
		"what is printed does not depend on who prints it"},
	"xxladapter/cmd/xxlwheel/internal/runs": {[]string{"xxladapter/cmd/xxlwheel/internal/client",
		"xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/flags",
		"xxladapter/cmd/xxlwheel/internal/printing", "xxladapter/triggermsg"},
		"runs are managed over the API alone; the text of a hand-over is read as it was written"},
	"xxladapter/cmd/xxlwheel/internal/sample": {[]string{"xxladapter/access", "xxladapter/executor",
		"xxladapter/telemetry", "xxladapter/wire", "xxladapter/cmd/xxlwheel/internal/client",
		"xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/daemon",
		"xxladapter/cmd/xxlwheel/internal/flags", "xxladapter/cmd/xxlwheel/internal/settings"},
		"it is an executor of the library, which flags describe"},
	"xxladapter/cmd/xxlwheel/internal/schedules": {[]string{"xxladapter/cron",
		"xxladapter/cmd/xxlwheel/internal/client", "xxladapter/cmd/xxlwheel/internal/command",
		"xxladapter/cmd/xxlwheel/internal/flags", "xxladapter/cmd/xxlwheel/internal/printing"},
		"schedules are asked for over the API; cron expressions are evaluated here"},
	"xxladapter/cmd/xxlwheel/internal/serve": {[]string{"xxladapter", "xxladapter/access",
		"xxladapter/accounts/openid", "xxladapter/assistant", "xxladapter/console", "xxladapter/cron",
		"xxladapter/elect", "xxladapter/elect/etcd", "xxladapter/elect/zookeeper", "xxladapter/metrics",
		"xxladapter/node", "xxladapter/sqlstore", "xxladapter/fromxxljob", "xxladapter/telemetry",
		"xxladapter/cmd/xxlwheel/internal/alarms", "xxladapter/cmd/xxlwheel/internal/command",
		"xxladapter/cmd/xxlwheel/internal/daemon", "xxladapter/cmd/xxlwheel/internal/flags",
		"xxladapter/cmd/xxlwheel/internal/settings", "xxladapter/cmd/xxlwheel/internal/stores"},
		"it turns flags into options of the parts of a scheduler"},
	"xxladapter/cmd/xxlwheel/internal/settings": {[]string{"xxladapter/cmd/xxlwheel/internal/command",
		"xxladapter/cmd/xxlwheel/internal/flags"}, "flags get values, whatever they mean"},
	"xxladapter/cmd/xxlwheel/internal/stores": {[]string{"xxladapter", "xxladapter/cron", "xxladapter/node",
		"xxladapter/redisstore", "xxladapter/sqlstore", "xxladapter/fromxxljob",
		"xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/flags",
		"xxladapter/cmd/xxlwheel/internal/printing"},
		"a command works on a store itself, and so knows which stores there are"},
	"xxladapter/cmd/xxlwheel/internal/users": {[]string{"xxladapter", "xxladapter/cmd/xxlwheel/internal/client",
		"xxladapter/cmd/xxlwheel/internal/command", "xxladapter/cmd/xxlwheel/internal/flags",
		"xxladapter/cmd/xxlwheel/internal/printing"}, "users are managed over the API alone"},

	"xxladapter/storetest":       {[]string{"xxladapter", "xxladapter/testserver"}, "it tests any store, and so knows none"},
	"xxladapter/elect/electtest": {[]string{"xxladapter/elect", "xxladapter/testserver"}, "it tests any elector, and so knows none"},
	"xxladapter/wire/recorded":   {nil, "it reads what went over the wire, whatever that means"},
	"xxladapter/checker":         {[]string{"xxladapter", "xxladapter/cron"}, "it computes due times itself; what it judges it must not use"},
	"xxladapter/testserver":      {nil, "it starts servers and knows none of its users"},
	"xxladapter/faults":          {nil, "it holds tests only"},
	"xxladapter/conventions":     {nil, "it holds tests only"},

	"bench":           {nil, "it holds tests only"},
	"bench/contender": {[]string{"hashedwheel"}, "the timer is one contender among others"},
	"bench/cases":     {[]string{"bench/contender"}, "every contender is measured through one interface"},
	"bench/load": {[]string{"xxladapter", "xxladapter/executor", "xxladapter/memstore", "xxladapter/node", "xxladapter/queue", "xxladapter/redisstore", "xxladapter/scheduler", "xxladapter/sqlstore", "xxladapter/trigger", "xxladapter/wire"},
		"it measures whole trips, and parts of them alone, and reads what other schedulers answer"},
}

// forTests are the packages that only tests import.
var forTests = []string{"xxladapter/elect/electtest", "xxladapter/storetest", "xxladapter/testserver", "xxladapter/sqlstore/internal/fixture", "xxladapter/wire/recorded"}

// drivers are the libraries for databases, brokers, electors and Redis, each with the packages of
// xxladapter that may import it: one, or two for Redis, which is a broker and a store. Package
// testserver may import all of them.
var drivers = map[string][]string{
	"modernc.org/sqlite":             {"xxladapter/sqlstore/internal/sqlite"},
	"github.com/go-sql-driver/mysql": {"xxladapter/sqlstore/internal/mysql"},
	"github.com/jackc/pgx/v5":        {"xxladapter/sqlstore/internal/postgres"},
	"github.com/pressly/goose/v3":    {"xxladapter/sqlstore/internal/migration"},
	"github.com/nats-io/nats.go":     {"xxladapter/queue/internal/jetstream"},
	"go.etcd.io/etcd/client/v3":      {"xxladapter/elect/etcd"},
	"github.com/go-zookeeper/zk":     {"xxladapter/elect/zookeeper"},
	"github.com/redis/go-redis/v9":   {"xxladapter/queue/internal/streams", "xxladapter/redisstore"},
}

func TestImportsPointDown(t *testing.T) {
	made := map[string]bool{}
	for _, file := range sourcesOf(t, ".") {
		pkg := path.Dir(file)
		if inOtherModule(pkg) {
			continue
		}
		made[pkg] = true
		for _, target := range checkImports(t, file, pkg) {
			made[pkg+" "+target] = true
		}
	}
	for pkg, r := range rules {
		if !made[pkg] {
			t.Errorf("package %s has a rule and no files", pkg)
		}
		if r.because == "" {
			t.Errorf("the rule of package %s gives no reason", pkg)
		}
		for _, target := range r.may {
			if !made[pkg+" "+target] {
				t.Errorf("%s may import %s and does not: take the allowance back", pkg, target)
			}
		}
	}
}

// inOtherModule reports whether a folder belongs to one of the modules inside this repository.
func inOtherModule(folder string) bool {
	for ; folder != "."; folder = path.Dir(folder) {
		if exists(path.Join(folder, "go.mod")) {
			return true
		}
	}
	return false
}

// checkImports reports the imports that a file of pkg must not have. It returns the packages of
// this repository that the file imports.
func checkImports(t *testing.T, file, pkg string) (imported []string) {
	t.Helper()
	r, known := rules[pkg]
	if !known {
		t.Errorf("%s: package %s has no rule for its imports", file, pkg)
		return nil
	}
	for _, imp := range parse(t, file).Imports {
		target, err := strconv.Unquote(imp.Path.Value)
		require.NoError(t, err)
		own, inRepo := strings.CutPrefix(target, module)
		if inRepo {
			imported = append(imported, own)
		}
		switch {
		case inRepo && !slices.Contains(r.may, own):
			t.Errorf("%s: %s must not import %s: %s", file, pkg, own, r.because)
		case target == "testing":
			if !slices.Contains(forTests, pkg) {
				t.Errorf("%s: production code must not import testing", file)
			}
		case pkg == "xxladapter" && target == "database/sql":
			t.Errorf("%s: the contract of stores must not know database/sql", file)
		case driverOf(target) != "" && !slices.Contains(drivers[driverOf(target)], pkg) &&
			strings.HasPrefix(pkg, "xxladapter") && pkg != "xxladapter/testserver":
			t.Errorf("%s: only %s may import %s", file, strings.Join(drivers[driverOf(target)], " and "), target)
		case strings.HasPrefix(pkg, "hashedwheel") && !inRepo && strings.Contains(strings.Split(target, "/")[0], ".") &&
			links["hashedwheel"][target] == "":
			t.Errorf("%s: the timer must not import %s", file, target)
		}
	}
	return imported
}

// TestAtomicWordsAreAligned checks that each 64-bit atomic word is of one of sync/atomic's types:
// any other may be unaligned inside a struct on processors of 32 bits, where its first use panics.
func TestAtomicWordsAreAligned(t *testing.T) {
	bare := regexp.MustCompile(`^(Int64|Uint64|Float64|Duration|(Add|And|Or|Load|Store|Swap|CompareAndSwap)(Int64|Uint64))$`)
	for _, file := range filesOf(t, ".", ".go") {
		parsed := parse(t, file)
		for _, imp := range parsed.Imports {
			switch target, _ := strconv.Unquote(imp.Path.Value); target {
			case "go.uber.org/atomic", "sync/atomic":
				name := "atomic"
				if imp.Name != nil {
					name = imp.Name.Name
				}
				ast.Inspect(parsed.File, func(n ast.Node) bool {
					sel, ok := n.(*ast.SelectorExpr)
					if !ok || !bare.MatchString(sel.Sel.Name) {
						return true
					}
					if x, ok := sel.X.(*ast.Ident); !ok || x.Name != name {
						return true
					}
					if target == "go.uber.org/atomic" || len(sel.Sel.Name) > len("Float64") {
						t.Errorf("%s: %s.%s of %s is not aligned on processors of 32 bits", file, name, sel.Sel.Name, target)
					}
					return true
				})
			}
		}
	}
}

// driverOf returns the driver that a package belongs to, or "".
func driverOf(target string) string {
	for driver := range drivers {
		if target == driver || strings.HasPrefix(target, driver+"/") {
			return driver
		}
	}
	return ""
}

// TestOnlyMySQLForcesIndexes checks that FORCE INDEX, which only MySQL knows, is in no statement
// that other databases run.
func TestOnlyMySQLForcesIndexes(t *testing.T) {
	for _, file := range filesOf(t, "xxladapter/sqlstore", ".go") {
		if path.Dir(file) != "xxladapter/sqlstore/internal/mysql" && strings.Contains(readFile(t, file), "FORCE INDEX") {
			t.Errorf("%s: only sqlstore/internal/mysql may have FORCE INDEX", file)
		}
	}
}
