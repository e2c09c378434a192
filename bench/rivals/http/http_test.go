//go:build unix

package http

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

const (
	limit = 30 * time.Second // of a call
	token = "default_token"
	reply = `{"code":200,"msg":"Success"}`
)

func request(id int64) *wire.RunRequest {
	return &wire.RunRequest{
		JobID: 7, Handler: "noop", Params: "a=1", BlockStrategy: "SERIAL_EXECUTION", LogID: wire.Int(id), LogTime: 1767225600000,
		GlueType: "BEAN", GlueUpdated: 1541254891000, BroadcastTotal: 1, ScheduledTime: 1767225600000,
	}
}

func BenchmarkClient(b *testing.B) {
	for _, lib := range []struct {
		name string
		make func(b *testing.B, addr string) func(context.Context, *wire.RunRequest) (wire.Reply, error)
	}{
		{"xxlwheel", ownClient}, {"nethttp", netHTTPClient}, {"fasthttp", fastHTTPClient},
	} {
		for _, conns := range []int{1, 64} {
			b.Run(fmt.Sprintf("lib=%s/conns=%d", lib.name, conns), func(b *testing.B) {
				call := lib.make(b, bareServer(b))
				var next atomic.Int64
				b.SetParallelism(conns)
				measured(b, func(pb *testing.PB) {
					for pb.Next() {
						r, err := call(b.Context(), request(next.Add(1)))
						if err != nil || r.Code != wire.CodeOK {
							b.Errorf("reply %+v: %v", r, err)
							return
						}
					}
				})
			})
		}
	}
}

// measured runs the body in parallel, and reports its allocations and processor time.
func measured(b *testing.B, body func(*testing.PB)) {
	b.ReportAllocs()
	began := cpuTime(b)
	b.ResetTimer()
	b.RunParallel(body)
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-began).Nanoseconds())/1000/float64(b.N), "cpu-µs/op")
}

func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func ownClient(b *testing.B, addr string) func(context.Context, *wire.RunRequest) (wire.Reply, error) {
	c, err := trigger.NewClient(trigger.ClientOptions{Timeout: limit, AccessToken: token})
	require.NoError(b, err)
	b.Cleanup(c.Close)
	return func(ctx context.Context, req *wire.RunRequest) (wire.Reply, error) {
		return c.Run(ctx, "http://"+addr, "app", req)
	}
}

func netHTTPClient(b *testing.B, addr string) func(context.Context, *wire.RunRequest) (wire.Reply, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	b.Cleanup(transport.CloseIdleConnections)
	c := &http.Client{Transport: transport}
	return func(ctx context.Context, req *wire.RunRequest) (wire.Reply, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		body, err := json.Marshal(req)
		if err != nil {
			return wire.Reply{}, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+wire.PathRun, bytes.NewReader(body))
		if err != nil {
			return wire.Reply{}, err
		}
		r.Header.Set("Content-Type", wire.ContentType)
		r.Header.Set(wire.HeaderToken, token)
		r.Header.Set(wire.HeaderAppName, "app")
		resp, err := c.Do(r)
		if err != nil {
			return wire.Reply{}, err
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(io.LimitReader(resp.Body, wire.MaxBody))
		if err != nil {
			return wire.Reply{}, err
		}
		return wire.DecodeReply(data)
	}
}

func fastHTTPClient(b *testing.B, addr string) func(context.Context, *wire.RunRequest) (wire.Reply, error) {
	c := &fasthttp.HostClient{Addr: addr, MaxConns: 1024, MaxResponseBodySize: wire.MaxBody}
	b.Cleanup(c.CloseIdleConnections)
	return func(_ context.Context, req *wire.RunRequest) (wire.Reply, error) {
		body, err := json.Marshal(req)
		if err != nil {
			return wire.Reply{}, err
		}
		r, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
		defer fasthttp.ReleaseRequest(r)
		defer fasthttp.ReleaseResponse(resp)
		r.Header.SetMethod(http.MethodPost)
		r.SetRequestURI("http://" + addr + wire.PathRun)
		r.Header.SetContentType(wire.ContentType)
		r.Header.Set(wire.HeaderToken, token)
		r.Header.Set(wire.HeaderAppName, "app")
		r.SetBody(body)
		if err := c.DoDeadline(r, resp, time.Now().Add(limit)); err != nil {
			return wire.Reply{}, err
		}
		return wire.DecodeReply(resp.Body())
	}
}

// bareServer accepts every run, with little work of its own, and returns its address.
func bareServer(b *testing.B) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { _ = ln.Close() })
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html;charset=UTF-8\r\nContent-Length: " + strconv.Itoa(len(reply)) + "\r\n\r\n" + reply)
	go func() { // ends with the listener
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() { // ends with the client
				defer conn.Close()
				in := bufio.NewReader(conn)
				for discardMessage(in) == nil {
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return ln.Addr().String()
}

// discardMessage reads a request or a response that has a length.
func discardMessage(in *bufio.Reader) error {
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if v, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(v))
		}
		if len(line) == 2 {
			break
		}
	}
	_, err := in.Discard(length)
	return err
}

func BenchmarkServer(b *testing.B) {
	for _, lib := range []struct {
		name  string
		serve func(b *testing.B, ln net.Listener)
	}{
		{"nethttp", serveNetHTTP}, {"fasthttp", serveFastHTTP},
	} {
		for _, conns := range []int{1, 64} {
			b.Run(fmt.Sprintf("lib=%s/conns=%d", lib.name, conns), func(b *testing.B) {
				ln, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(b, err)
				lib.serve(b, ln)
				body, err := json.Marshal(request(1))
				require.NoError(b, err)
				post := fmt.Appendf(nil, "POST /run HTTP/1.1\r\nHost: executor\r\nContent-Type: %s\r\nXxl-Job-Access-Token: %s\r\nContent-Length: %d\r\n\r\n%s",
					wire.ContentType, token, len(body), body)
				b.SetParallelism(conns)
				measured(b, func(pb *testing.PB) {
					conn, err := net.Dial("tcp", ln.Addr().String())
					if err != nil {
						b.Error(err)
						return
					}
					defer conn.Close()
					in := bufio.NewReader(conn)
					for pb.Next() {
						if _, err := conn.Write(post); err != nil {
							b.Error(err)
							return
						}
						if err := discardMessage(in); err != nil {
							b.Error(err)
							return
						}
					}
				})
			})
		}
	}
}

// answer decodes a run request and returns the reply.
func answer(body []byte) []byte {
	r := wire.OK()
	if err := wire.Decode(body, new(wire.RunRequest)); err != nil {
		r = wire.Fail(err.Error())
	}
	data, _ := json.Marshal(r)
	return data
}

func serveNetHTTP(b *testing.B, ln net.Listener) {
	s := &http.Server{ReadHeaderTimeout: 10 * time.Second, ReadTimeout: limit, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		if r.Header.Get(wire.HeaderToken) != token {
			return
		}
		if _, err := io.ReadFull(r.Body, body); err != nil {
			return
		}
		data := answer(body)
		w.Header().Set("Content-Type", wire.ExecutorContentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data)
	})}
	go func() { _ = s.Serve(ln) }()
	b.Cleanup(func() { _ = s.Close() })
}

func serveFastHTTP(b *testing.B, ln net.Listener) {
	s := &fasthttp.Server{ReadTimeout: limit, MaxRequestBodySize: wire.MaxBody, Handler: func(ctx *fasthttp.RequestCtx) {
		if string(ctx.Request.Header.Peek(wire.HeaderToken)) != token {
			return
		}
		ctx.SetContentType(wire.ExecutorContentType)
		ctx.SetBody(answer(ctx.PostBody()))
	}}
	go func() { _ = s.Serve(ln) }()
	b.Cleanup(func() { _ = s.Shutdown() })
}
