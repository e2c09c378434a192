package checker

import "strconv"

// This file writes each record as its line, without the line feed. Numbers that are 0 and empty
// texts are omitted.

type lineWriter struct{ b []byte }

func newLine(b []byte, kind string) *lineWriter {
	return &lineWriter{append(append(append(b, `{"kind":"`...), kind...), '"')}
}

func (l *lineWriter) name(f field) {
	l.b = append(append(append(l.b, `,"`...), fieldNames[f]...), `":`...)
}

func (l *lineWriter) number(f field, v int64) *lineWriter {
	if v != 0 {
		l.name(f)
		l.b = strconv.AppendInt(l.b, v, 10)
	}
	return l
}

func (l *lineWriter) text(f field, v string) *lineWriter {
	if v != "" {
		l.name(f)
		l.b = appendString(l.b, v)
	}
	return l
}

func (l *lineWriter) list(f field, v []int64) *lineWriter {
	if len(v) > 0 {
		l.name(f)
		sep := byte('[')
		for _, n := range v {
			l.b = strconv.AppendInt(append(l.b, sep), n, 10)
			sep = ','
		}
		l.b = append(l.b, ']')
	}
	return l
}

func (l *lineWriter) end() []byte { return append(l.b, '}') }

// appendString writes a JSON string.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

func appendChange(b []byte, c *Change) []byte {
	return newLine(b, "change").number(fJob, c.Job).text(fOp, string(c.Op)).
		number(fAsked, int64(c.Asked)).number(fAcked, int64(c.Acked)).number(fFirst, int64(c.First)).
		text(fType, string(c.Type)).text(fConf, c.Conf).text(fZone, c.Zone).
		list(fChildren, c.Children).number(fRetries, int64(c.Retries)).end()
}

func appendRun(b []byte, r *Run, by string, n int64) []byte {
	return newLine(b, "run").number(fJob, r.Job).number(fLog, r.Log).number(fDue, int64(r.Due)).
		number(fShard, int64(r.Shard)).number(fShards, int64(r.Shards)).
		number(fAt, int64(r.At)).number(fStart, int64(r.Start)).number(fEnd, int64(r.End)).number(fCode, int64(r.Code)).
		text(fBy, by).number(fN, n).end()
}

func appendStart(b []byte, by string, n int64, at Instant) []byte {
	return newLine(b, "start").text(fBy, by).number(fN, n).number(fAt, int64(at)).end()
}

func appendEnd(b []byte, by string, n int64, at Instant, code int32) []byte {
	return newLine(b, "end").text(fBy, by).number(fN, n).number(fAt, int64(at)).number(fCode, int64(code)).end()
}

func appendMisfire(b []byte, m *Misfire) []byte {
	return newLine(b, "misfire").number(fJob, m.Job).number(fDue, int64(m.Due)).number(fUntil, int64(m.Until)).
		text(fStrategy, string(m.Strategy)).number(fAt, int64(m.At)).end()
}

func appendLoss(b []byte, l *Loss) []byte {
	return newLine(b, "loss").number(fSince, int64(l.Since)).number(fUntil, int64(l.Until)).end()
}

func appendTrigger(b []byte, t *Trigger) []byte {
	return newLine(b, "trigger").number(fJob, t.Job).text(fType, string(t.Type)).number(fLog, t.Log).number(fOf, t.Of).
		number(fAsked, int64(t.Asked)).number(fAcked, int64(t.Acked)).end()
}

func appendResend(b []byte, r *Resend) []byte {
	return newLine(b, "resend").number(fLog, r.Log).number(fAt, int64(r.At)).end()
}

func appendResult(b []byte, r *Result) []byte {
	return newLine(b, "result").number(fLog, r.Log).number(fCode, int64(r.Code)).number(fAt, int64(r.At)).end()
}

func appendAck(b []byte, a *Ack) []byte {
	return newLine(b, "acked").number(fLog, a.Log).number(fAt, int64(a.At)).end()
}

func appendLog(b []byte, l *Log) []byte {
	return newLine(b, "log").number(fLog, l.Log).number(fJob, l.Job).number(fDue, int64(l.Due)).
		number(fTriggerCode, int64(l.TriggerCode)).number(fHandleCode, int64(l.HandleCode)).
		number(fHandled, int64(l.Handled)).end()
}

func appendFinal(b []byte, at Instant) []byte {
	return newLine(b, "final").number(fAt, int64(at)).end()
}
