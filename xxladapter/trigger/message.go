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

// message returns the text of trigger_msg: for people, and as HTML, because the Java admin's page
// shows it as such. The lines and their order are upstream's (XxlJobTrigger.processTrigger).
func (r *run) message(o sendOutcome, next []xxladapter.Fire) string {
	kind := "automatic"
	if r.group.AddressType == xxladapter.AddressManual || len(r.fire.Addresses) > 0 {
		kind = "manual"
	}
	routeText := string(r.job.Route)
	if r.log.Sharding != "" {
		routeText += "(" + r.log.Sharding + ")"
	}
	result := "success"
	switch o.kind {
	case EventFailed:
		result = "error, " + o.msg
	case EventAmbiguous:
		result = "unknown, " + o.msg
	}
	n, of := r.attempt()
	type line struct{ label, value string }
	lines := []line{
		{"trigger type", string(r.fire.Type)},
		{"scheduler", r.fire.Owner.Node},
		{"registration", kind},
		{"addresses", "[" + strings.Join(r.addresses(), ", ") + "]"},
		{"route", routeText},
		{"block", string(r.job.Block)},
		{"timeout", fmt.Sprint(int(r.job.Timeout.Seconds()))},
		{"retries", fmt.Sprint(r.log.RetryCount)},
		{"attempt", fmt.Sprintf("%d of %d", n, of)},
		{"due", instant(r.fire.Due)},
		{},
		{"address", r.log.Address},
		{"handler", r.log.Handler},
		{"param", r.log.Param},
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
