module github.com/xxlwheel/xxlwheel/bench/rivals

go 1.26.0

replace github.com/xxlwheel/xxlwheel => ../..

require (
	github.com/adhocore/gronx v1.20.4
	github.com/hashicorp/cronexpr v1.1.3
	github.com/reugn/go-quartz v0.15.2
	github.com/robfig/cron/v3 v3.0.1
	github.com/xxlwheel/xxlwheel v0.0.0
)

require go.yaml.in/yaml/v3 v3.0.6 // indirect
