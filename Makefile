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
test: ## run the tests
	go test ./...

.PHONY: race
race: ## run the tests with the race detector
	go test -race ./...

.PHONY: interleave
interleave: ## run what callers and the timer's worker do in every order there is
	go test -tags interleave -run Interleavings -v ./hashedwheel

# How long make faults goes on with each test on each store; 0: all its rounds.
FOR ?= 0

.PHONY: faults
faults: ## kill, freeze and restart schedulers and databases for an hour or more
	go test ./xxladapter/faults -count=1 -timeout 12h -v -artifacts -long -for $(FOR)

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
