package trigger

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// maxTriggerMsg keeps trigger_msg inside MySQL's TEXT of 65535 bytes.
const maxTriggerMsg = 60000

// triggerMsg is the text of trigger_msg: for people, and as HTML, because the
// Java admin's page shows it as such. The lines and their order are upstream's
// (XxlJobTrigger.processTrigger).
func triggerMsg(f xxladapter.Fire, job *xxladapter.Job, group *xxladapter.Group, l *xxladapter.Log, o sendOutcome, next []xxladapter.Fire) string {
	kind := "automatic"
	if group.AddressType == xxladapter.AddressManual || len(f.Addresses) > 0 {
		kind = "manual"
	}
	addrs := group.Addresses
	if len(f.Addresses) > 0 {
		addrs = f.Addresses
	}
	routeText := string(job.Route)
	if l.Sharding != "" {
		routeText += "(" + l.Sharding + ")"
	}
	result := "success"
	switch o.kind {
	case EventFailed:
		result = "error, " + o.msg
	case EventAmbiguous:
		result = "unknown, " + o.msg
	}
	n, of := attempt(f, job, l)
	type line struct{ label, value string }
	lines := []line{
		{"trigger type", string(f.Type)},
		{"scheduler", f.Owner.Node},
		{"registration", kind},
		{"addresses", "[" + strings.Join(addrs, ", ") + "]"},
		{"route", routeText},
		{"block", string(job.Block)},
		{"timeout", fmt.Sprint(int(job.Timeout.Seconds()))},
		{"retries", fmt.Sprint(l.RetryCount)},
		{"attempt", fmt.Sprintf("%d of %d", n, of)},
		{"due", instant(f.Due)},
		{},
		{"address", l.Address},
		{"handler", l.Handler},
		{"param", l.Param},
		{"result", result},
	}
	for _, f := range next {
		lines = append(lines, line{"next attempt", instant(f.Due)})
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteString("<br>")
		}
		if line.label != "" {
			b.WriteString(line.label + "：" + html.EscapeString(line.value))
		}
	}
	msg := b.String()
	if len(msg) > maxTriggerMsg {
		msg = strings.ToValidUTF8(msg[:maxTriggerMsg], "") + "..."
	}
	return msg
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// isRepeat recognises the refusal of a log id that the executor already has.
func isRepeat(msg string) bool {
	return strings.HasPrefix(msg, wire.PrefixRepeat) || strings.HasPrefix(msg, wire.PrefixRepeatOld)
}
