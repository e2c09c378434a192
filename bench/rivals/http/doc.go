// Package http compares ways to send a run request and to answer one: the scheduler's own client,
// net/http and fasthttp. It contains only benchmarks, in a separate module, so that fasthttp
// becomes nobody's dependency.
//
// Run it with:
//
//	go test -run '^$' -bench . -count 10 ./http | tee http.txt
//	benchstat -row .name,/conns -col /lib http.txt
//
// Each client encodes the same request, sends it with the same headers and a deadline, and decodes
// the reply. The other side is a bare socket in the same process, so its share of cpu-µs/op is
// small and the same for all. Each server decodes the request and encodes the reply.
//
// Limits of the comparison: fasthttp's client does less. A call cannot be cancelled, it is not
// known whether a byte was sent, the socket cannot be guarded, and only a failed request shows that
// the peer has closed an idle connection.
package http
