package executor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// ServeHTTP answers the calls of schedulers: /beat, /idleBeat, /run, /runs, /trigger, /kill, /log,
// /ended and /taken, below any prefix that the application has stripped. Every reply is JSON with
// status 200, except that a body above [wire.MaxBody] gets 413. With [Options.Queue], runs come
// from the queue alone, and /run, /runs and /trigger are unknown.
//
// It serves only while [Executor.Run] runs.
func (e *Executor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		writeReply(w, http.StatusOK, wire.Fail(wire.MsgMethod))
		return
	}
	if err := e.pages.Check(r); err != nil {
		writeReply(w, http.StatusOK, wire.Fail("invalid request, "+err.Error()))
		return
	}
	path := r.URL.EscapedPath()
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		path += "?" + r.URL.RawQuery // XXL-JOB compares the raw target
	}
	if path == "" {
		writeReply(w, http.StatusOK, wire.Fail(wire.MsgNoOperation))
		return
	}
	if msg := e.checkHeaders(path, r.Header); msg != "" {
		writeReply(w, http.StatusOK, wire.Fail(msg))
		return
	}
	l := e.live.Load()
	if l == nil || e.finished.Load() {
		writeReply(w, http.StatusOK, wire.Fail("executor is not running"))
		return
	}
	if !e.opts.NoBatches && l.queue == nil {
		w.Header().Set(wire.HeaderBatch, strconv.Itoa(wire.MaxBatch))
	}
	answer, known := operations[path]
	isRun := path == wire.PathRun || path == wire.PathTrigger || path == wire.PathRuns
	if !known || path == wire.PathRuns && e.opts.NoBatches || isRun && l.queue != nil {
		writeReply(w, http.StatusOK, wire.Fail(wire.NotFound(path)))
		return
	}
	body, err := readBody(w, r)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		w.Header().Set("Connection", "close")
		writeReply(w, http.StatusRequestEntityTooLarge,
			wire.Fail(wire.PrefixRequestErr+" body is larger than "+strconv.Itoa(wire.MaxBody)+" bytes"))
		return
	case err != nil:
		writeReply(w, http.StatusOK, requestError(err))
		return
	}
	writeReply(w, http.StatusOK, answer(e, l, body))
}

// operations maps the path of a call to the function that answers its body, with a [wire.Reply] or,
// for a batch, [wire.RunReplies].
var operations = map[string]func(*Executor, *live, []byte) any{
	wire.PathBeat:     single((*Executor).beat),
	wire.PathIdleBeat: single((*Executor).idleBeat),
	wire.PathRun:      single((*Executor).run),
	wire.PathTrigger:  single((*Executor).run),
	wire.PathRuns:     (*Executor).runs,
	wire.PathKill:     single((*Executor).kill),
	wire.PathLog:      single((*Executor).log),
	wire.PathEnded:    single((*Executor).ended),
	wire.PathTaken:    single((*Executor).taken),
}

func single(answer func(*Executor, *live, []byte) wire.Reply) func(*Executor, *live, []byte) any {
	return func(e *Executor, l *live, body []byte) any { return answer(e, l, body) }
}

// checkHeaders returns why a request must not be served, or "". With RequireAppName, and on
// /trigger if the executor has a token, it follows the rules of 3.5: both headers must be right.
// Otherwise it follows those of earlier releases: only the token must be right.
func (e *Executor) checkHeaders(path string, h http.Header) string {
	token, app := h.Get(wire.HeaderToken), h.Get(wire.HeaderAppName)
	if !e.opts.RequireAppName && (path != wire.PathTrigger || e.opts.AccessToken == "") {
		if e.opts.AccessToken != "" && !access.Same(token, e.opts.AccessToken) {
			return wire.MsgWrongToken
		}
		return ""
	}
	switch {
	case strings.TrimSpace(token) == "" || strings.TrimSpace(app) == "":
		return wire.PrefixNoAppName + "."
	case !access.Same(token, e.opts.AccessToken) || e.opts.AppName != "" && app != e.opts.AppName:
		return wire.MsgWrongAppToken
	}
	return ""
}

// readBody reads a request body of at most wire.MaxBody bytes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > wire.MaxBody {
		return nil, &http.MaxBytesError{Limit: wire.MaxBody}
	}
	in := http.MaxBytesReader(w, r.Body, wire.MaxBody)
	if r.ContentLength >= 0 {
		body := make([]byte, r.ContentLength)
		_, err := io.ReadFull(in, body)
		return body, err
	}
	return io.ReadAll(in)
}

// writeReply encodes a reply of any operation.
func writeReply(w http.ResponseWriter, status int, reply any) {
	body, err := json.Marshal(reply)
	if err != nil { // only a payload can be at fault, and WithPayload encoded it
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", wire.ExecutorContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func requestError(err error) wire.Reply { return wire.Fail(wire.PrefixRequestErr + " " + err.Error()) }

func (e *Executor) beat(l *live, _ []byte) wire.Reply {
	if l.jobs.isStopping() {
		return wire.Fail(errStopping.Error())
	}
	return wire.OK()
}

func (e *Executor) idleBeat(l *live, body []byte) wire.Reply {
	var req wire.IdleBeatRequest
	if err := wire.Decode(body, &req); err != nil {
		return requestError(err)
	}
	switch {
	case l.jobs.isStopping():
		return wire.Fail(errStopping.Error())
	case l.jobs.busy(int64(req.JobID)):
		return wire.Fail(wire.MsgBusy)
	}
	return wire.OK()
}

func (e *Executor) kill(l *live, body []byte) wire.Reply {
	var req wire.KillRequest
	if err := wire.Decode(body, &req); err != nil {
		return requestError(err)
	}
	if l.jobs.kill(int64(req.JobID)) {
		return wire.OK()
	}
	// G1 reads msg, the later generations read the payload.
	return wire.Reply{Code: wire.CodeOK, Msg: wire.MsgAlreadyKilled}.WithPayload(wire.MsgAlreadyKilled)
}

func (e *Executor) log(l *live, body []byte) wire.Reply {
	var req wire.LogRequest
	if err := wire.Decode(body, &req); err != nil {
		return requestError(err)
	}
	return wire.OK().WithPayload(l.logs.readLog(req, l.journal.accepted))
}

func (e *Executor) run(l *live, body []byte) wire.Reply {
	req := new(wire.RunRequest)
	if err := wire.Decode(body, req); err != nil {
		return requestError(err)
	}
	return e.accept(l, req, func() []byte { return body })()
}

// accept accepts a run into its job's queue, or refuses it. The returned function waits until the
// run is on disk and returns the reply. body returns the request as JSON.
func (e *Executor) accept(l *live, req *wire.RunRequest, body func() []byte) (reply func() wire.Reply) {
	known := func(r wire.Reply) func() wire.Reply { return func() wire.Reply { return r } }
	if err := checkRun(req); err != nil {
		return known(requestError(err))
	}
	h, glue, refused := e.resolve(l, req, body)
	if refused != nil {
		return known(*refused)
	}
	req.GlueSource = "" // a waiting run needs no copy
	wait := l.jobs.submit(req, h, glue)
	return func() wire.Reply { return runReply(req, wait()) }
}

// runReply returns the reply to a run; err is the outcome of its submission.
func runReply(req *wire.RunRequest, err error) wire.Reply {
	var no refusal
	switch {
	case err == nil:
		return wire.OK()
	case errors.Is(err, errSeen):
		return wire.Fail(wire.PrefixRepeat + strconv.FormatInt(int64(req.LogID), 10))
	case errors.As(err, &no):
		return wire.Fail(string(no))
	case errors.Is(err, errStopping):
		return wire.Fail(err.Error())
	}
	return requestError(err)
}

// lastLogTime is the end of the year 9999 in epoch milliseconds: logs are in folders named by days,
// whose years have four digits.
const lastLogTime = 253_402_300_799_999

// checkRun refuses numbers that no scheduler sends and that would give odd file names. A missing
// trigger time is accepted, as upstream does.
func checkRun(req *wire.RunRequest) error {
	switch {
	case req.LogID <= 0:
		return fmt.Errorf("logId is %d, must be a positive integer", req.LogID)
	case req.LogTime < 0 || req.LogTime > lastLogTime:
		return fmt.Errorf("logDateTime is %d, must be epoch milliseconds from 0 to %d", req.LogTime, int64(lastLogTime))
	}
	return nil
}

// resolve returns the handler for a run, or the reply that refuses the run.
func (e *Executor) resolve(l *live, req *wire.RunRequest, body func() []byte) (*handler, glueVersion, *wire.Reply) {
	refuse := func(r wire.Reply) (*handler, glueVersion, *wire.Reply) { return nil, glueVersion{}, &r }
	if req.GlueType == string(xxladapter.GlueBean) {
		if h, ok := e.handlers.Load(req.Handler); ok {
			return h.(*handler), glueVersion{}, nil
		}
		if req.Handler == "" && isNull(body(), "executorHandler") {
			return refuse(wire.Fail(wire.PrefixRequestErr +
				" executorHandler is missing, a BEAN run must name its handler"))
		}
		return refuse(wire.Fail("job handler [" + req.Handler + "] not found."))
	}
	lang, ok := languages[xxladapter.GlueType(req.GlueType)]
	switch {
	case !ok && req.GlueType == "" && isNull(body(), "glueType"):
		return refuse(wire.Fail("glueType[null] is not valid."))
	case !ok:
		return refuse(wire.Fail("glueType[" + req.GlueType + "] is not valid."))
	case !e.opts.Scripts || lang.command == "":
		return refuse(wire.Fail("fail, current glue type [" + lang.title + "] not supported."))
	}
	h, glue := l.scripts.handler(req, lang)
	return h, glue, nil
}

// isNull reports whether a field of the object in body is missing or null.
func isNull(body []byte, field string) bool {
	var object map[string]json.RawMessage
	_ = json.Unmarshal(body, &object)
	value := object[field]
	return value == nil || string(value) == "null"
}
