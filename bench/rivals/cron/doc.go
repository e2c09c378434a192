// Package cron compares the parser of xxladapter/cron with other Go libraries on expressions that
// all of them can parse. It contains only benchmarks and their test, in a separate module, so that
// the measured libraries become nobody's dependencies.
//
// Run it with:
//
//	go test -run '^$' -bench . -count 10 ./cron | tee cron.txt
//	benchstat -row .name,/zone,/expr -col /lib cron.txt
//
// Limits of the comparison: gronx has no parsed form of an expression, so its Next includes parsing
// and its Parse only validates. W, L and # are not compared, because robfig/cron does not support
// them.
package cron
