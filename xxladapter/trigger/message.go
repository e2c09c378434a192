package trigger

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// maxValue limits one line of trigger_msg, in bytes. Three of them may be long: addresses,
// parameter and result. Together they fit into MySQL's TEXT, so that the result, which comes last
// and matters most, is never cut off.
const maxValue = 15_000

// triggerMsg returns the text of trigger_msg: for people, and as HTML, because the Java admin's
// page shows it as such. The lines and their order are upstream's (XxlJobTrigger.processTrigger).
func triggerMsg(f xxladapter.Fire, job *xxladapter.Job, group *xxladapter.Group, l *xxladapter.Log, o sendOutcome, next []xxladapter.Fire) string {
	kind := "automatic"
	if group.AddressType == xxladapter.AddressManual || len(f.Addresses) > 0 {
		kind = "manual"
	}
	addrs := membersOf(f, group)
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
	n, of := attempt(f, l)
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
			b.WriteString(line.label + "：" + xxladapter.CutText(html.EscapeString(line.value), maxValue))
		}
	}
	return b.String()
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// isRepeat recognises the refusal of a log id that the executor already has.
func isRepeat(msg string) bool {
	return strings.HasPrefix(msg, wire.PrefixRepeat) || strings.HasPrefix(msg, wire.PrefixRepeatOld)
}
