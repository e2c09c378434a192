// Package cron compares the parser of xxladapter/cron with other Go libraries
// on expressions that all of them can read. It holds benchmarks only, in a
// module of its own, so that the libraries it measures reach nobody else's
// dependencies.
//
// Run it with:
//
//	go test -run '^$' -bench . -count 10 ./cron | tee cron.txt
//	benchstat -row .name,/zone,/expr -col /lib cron.txt
//
// What it cannot show: gronx has no parsed form, so its Next includes reading
// the expression and its Parse is only a check. Lengths of months, weekdays and
// W or L are left out, because most of the others cannot say them.
package cron
