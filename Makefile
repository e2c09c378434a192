.DEFAULT_GOAL := help

# Pinned with all that it is built from, so that a new release cannot turn an old commit red.
golangci := -modfile=.ci/golangci.mod

# The modules inside this repository. They are separate, so that their dependencies reach no user.
modules := $(dir $(shell git ls-files '*/go.mod'))

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-16s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## run a scheduler, two executors and three jobs for 15 s
	go run ./xxladapter/cmd/xxlwheel demo --for 15s

.PHONY: build
build: ## build bin/xxlwheel
	go build -o bin/xxlwheel ./xxladapter/cmd/xxlwheel

.PHONY: unit
unit: ## run the tests that start no servers and no other programs
	go test -short ./...

.PHONY: test
test: ## run the tests that need no long waits; four packages at once, because they wait for servers
	go test -p 4 ./...

# SQLite and its C library, translated to Go, share nothing with our code that they do not lock
# themselves, and with the detector they take three quarters of the processor time of all tests.
unwatched := -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc/...=-race=false

# These packages are tested alone, because their tests measure time. The others take turns on all
# processors.
judging := ./bench/... ./hashedwheel/... ./xxladapter/cmd/... ./xxladapter/executor ./xxladapter/faults ./xxladapter/node ./xxladapter/redisstore

# For a machine without MariaDB, PostgreSQL and Redis. eval "$(make -s databases)" also sets the
# variables.
databases := docker compose -f xxladapter/testserver/compose.yaml

.PHONY: databases
databases: ## start MariaDB, PostgreSQL and Redis in Docker, and print the variables for tests
	$(databases) up -d --wait >&2
	@echo "export XXLWHEEL_TEST_MYSQL_DSN='mysql://root:xxlwheel@127.0.0.1:13306/'"
	@echo "export XXLWHEEL_TEST_POSTGRES_DSN='postgres://postgres:xxlwheel@127.0.0.1:15432/postgres?sslmode=disable'"
	@echo "export XXLWHEEL_TEST_REDIS_URL='redis://127.0.0.1:16379/0'"

.PHONY: databases-stop
databases-stop: ## stop the databases of make databases, and delete their data
	$(databases) down -v

.PHONY: test-all
test-all: ## run the long tests too, all with the race detector
	XXLWHEEL_TEST_LONG=1 go test -race $(unwatched) -timeout 20m $$(go list ./... | grep -vxF "$$(go list $(judging))")
	XXLWHEEL_TEST_LONG=1 go test -race $(unwatched) -p 1 -timeout 20m $(judging)

# They run on this machine, but without the race detector, which processors of 32 bits lack.
.PHONY: test-32bit
test-32bit: ## run the tests of the timer as on processors of 32 bits
	GOARCH=386 go test ./hashedwheel/...

.PHONY: interleave
interleave: ## run what callers and the timer's worker do in every order there is
	go test -tags interleave -run Interleavings ./hashedwheel

# make properties CHECKS=10000: how many cases each property is tried with.
CHECKS ?= 1000

# CI draws the same cases each time; here they are new ones.
.PHONY: properties
properties: ## try the properties with many cases that were not drawn before
	RAPID_CHECKS=$(CHECKS) go test -count=1 -timeout 2h $(addprefix ./,$(sort $(dir $(shell git grep -l pgregory.net/rapid -- '*_test.go')))) ./xxladapter/memstore

# How long make faults repeats each test on each store; 0 means all its rounds.
FOR ?= 0

.PHONY: faults
faults: ## kill, freeze and restart schedulers and databases for an hour or more
	XXLWHEEL_TEST_SOAK=1 go test ./xxladapter/faults -count=1 -timeout 12h -v -artifacts -for $(FOR) $(ARGS)

# Without the cache, which does not notice changes of the files outside a module that its tests read.
.PHONY: test-modules
test-modules: ## test the modules inside this repository
	@set -e; for module in $(modules); do \
		echo "-- $$module"; \
		(cd $$module && go test -count=1 ./... && go test -short -run '^$$' -bench . -benchtime 1x ./...); \
	done

.PHONY: console
console: ## build the web console from xxladapter/console/web
	go generate ./xxladapter/console

.PHONY: console-types
console-types: ## check the types of the web console
	go run -C xxladapter/console/build . check

.PHONY: modules
modules: ## fetch all modules, the linters' too, and check that the module files are tidy
	go list $(golangci) -deps tool >/dev/null
	@set -e; for module in ./ $(modules); do \
		echo "-- $$module"; \
		(cd $$module && go mod tidy -diff); \
	done

.PHONY: lint
lint: modules ## check format, module files and golangci-lint's rules
	@unformatted=$$(git ls-files '*.go' | xargs gofmt -l); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	go tool $(golangci) golangci-lint run
	@set -e; for module in ./ $(modules); do \
		echo "-- $$module"; \
		(cd $$module && go vet ./... && GOARCH=386 go vet ./...); \
	done

.PHONY: bench
bench: ## run the benchmarks of the timer and its baselines
	go test -run '^$$' -bench . ./bench

# make bench-timer ROUNDS=6, make bench-scheduler ROUNDS=3: how often each case is measured.
rounds := $(if $(ROUNDS),-rounds $(ROUNDS))

.PHONY: bench-timer
bench-timer: ## measure all timers, for half an hour: bench/results/report.md, figures of the READMEs
	go -C bench/report run . $(rounds) $(ARGS)

.PHONY: bench-scheduler
bench-scheduler: ## measure the scheduler on all stores for half an hour: bench/results/scheduler.md
	go test ./bench/load -run TestResults -count=1 -v -timeout 3h -write ../results $(rounds) $(ARGS)

# Other packages are left out, because go test would link the tests of each.
benchmarked = $(filter-out $(addsuffix %,$(modules)),$(sort $(dir $(shell git grep -l '^func Benchmark' -- '*_test.go'))))

.PHONY: bench-once
bench-once: ## run each benchmark once, to see that it still works
	XXLWHEEL_BENCH_SCALE=1000 go test -short -run '^$$' -bench . -benchtime 1x $(addprefix ./,$(benchmarked))

.PHONY: ci
ci: ## what a change has to pass
	bash .ci/run
