.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-10s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## run a scheduler, two executors and three jobs for 15 s
	go run ./xxladapter/cmd/xxlwheel demo --for 15s

.PHONY: build
build: ## build bin/xxlwheel
	go build -o bin/xxlwheel ./xxladapter/cmd/xxlwheel

.PHONY: test
test: ## run the tests, in under two minutes
	go test ./...

# One package at a time: tests that judge how late real processes are do not wait for others.
.PHONY: test-all
test-all: ## run the long tests too, all with the race detector
	XXLWHEEL_TEST_LONG=1 go test -race -p 1 -timeout 20m ./...

.PHONY: interleave
interleave: ## run what callers and the timer's worker do in every order there is
	go test -tags interleave -run Interleavings -v ./hashedwheel

# How long make faults repeats each test on each store; 0 means all its rounds.
FOR ?= 0

.PHONY: faults
faults: ## kill, freeze and restart schedulers and databases for an hour or more
	XXLWHEEL_TEST_SOAK=1 go test ./xxladapter/faults -count=1 -timeout 12h -v -artifacts -for $(FOR) $(ARGS)

.PHONY: bench
bench: ## run the benchmarks of the timer and its baselines
	go test -run '^$$' -bench . ./bench

.PHONY: lint
lint: ## check format, vet and golangci-lint (which has to be installed)
	gofmt -l .
	go vet ./...
	golangci-lint run

.PHONY: ci
ci: ## what a change has to pass
	bash .ci/run
