package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// names makes the names of one namespace on a broker. Each name that an executor uses has the app
// in a token of its own, so that a user of the broker can be granted those of one app.
type names struct{ namespace string }

// separators escapes the characters that a URL's path may have, and a token of a subject must not.
var separators = strings.NewReplacer(".", "%2E", "*", "%2A", ">", "%3E")

func token(app string) string { return separators.Replace(url.PathEscape(app)) }

// prefix returns the beginning of all subjects.
func (n names) prefix() string { return "xw." + n.namespace + "." }

// allRuns returns the subjects of the runs of all apps, and runs returns those of one app.
func (n names) allRuns() string        { return n.prefix() + "run.>" }
func (n names) runs(app string) string { return n.prefix() + "run." + token(app) + ".>" }

// run returns the subject of runs for an address.
func (n names) run(to xxladapter.QueueAddress) string {
	subject := n.prefix() + "run." + token(to.App)
	if to.Instance == "" {
		return subject + ".any"
	}
	return subject + ".at." + to.Instance
}

// stream returns the name of the stream with the runs of an app. Namespaces have no underscore, so
// no two pairs of namespace and app share a name.
func (n names) stream(app string) string { return "xw_" + n.namespace + "_" + streamToken(app) }

// streamToken returns an app's name itself if it is short and consists of letters, digits, hyphens
// and underscores, and otherwise a digest of it. Names of streams are names of files, and at most
// 255 bytes long.
func streamToken(app string) string {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if !strings.ContainsFunc(app, odd) && len(app) <= 64 {
		return app
	}
	return "%" + digest(app)
}

// consumer returns the name of the durable consumer for the runs of an address.
func (n names) consumer(of xxladapter.QueueAddress) string { return "runs-" + digest(of.String()) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// appOf returns the app whose runs have a subject.
func (n names) appOf(subject string) (string, bool) {
	rest, ok := strings.CutPrefix(subject, n.prefix()+"run.")
	first, _, _ := strings.Cut(rest, ".")
	app, err := url.PathUnescape(first)
	return app, ok && err == nil && app != ""
}

// call returns the subject of a call to one executor. op may be *.
func (n names) call(to xxladapter.QueueAddress, op string) string {
	return n.prefix() + "call." + token(to.App) + "." + to.Instance + "." + op
}

// up returns the subject of a call to a scheduler by an executor of an app.
func (n names) up(op, app string) string { return n.prefix() + "up." + op + "." + token(app) }

// allUp returns the subjects of the calls of all executors.
func (n names) allUp() string { return n.prefix() + "up.*.*" }

// replies returns the beginning of the subjects on which executors of an app wait for replies, or
// schedulers if app is empty.
func (n names) replies(app string) string {
	if app == "" {
		return n.prefix() + "reply.schedulers"
	}
	return n.prefix() + "reply.app." + token(app)
}

// calledBy returns operation and app of a call to a scheduler.
func calledBy(subject string) (op, app string) {
	tokens := strings.Split(subject, ".")
	op = tokens[len(tokens)-2]
	app, err := url.PathUnescape(tokens[len(tokens)-1])
	if err != nil {
		return "", ""
	}
	return op, app
}

// lastToken returns the operation of a call to an executor: the last token of its subject.
func lastToken(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }
