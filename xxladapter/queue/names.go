package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// names makes the names of one namespace on a broker.
type names struct{ namespace string }

func isNamespace(text string) bool {
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	return text != "" && len(text) <= 32 && !strings.ContainsFunc(text, odd)
}

// separators are what a token of a subject must not have beyond what a URL's path escapes.
var separators = strings.NewReplacer(".", "%2E", "*", "%2A", ">", "%3E")

func token(app string) string { return separators.Replace(url.PathEscape(app)) }

func (n names) stream() string { return "xw-" + n.namespace + "-runs" }
func (n names) runs() string   { return "xw." + n.namespace + ".run.>" }

// run is the subject of runs for an address.
func (n names) run(to xxladapter.QueueAddress) string {
	subject := "xw." + n.namespace + ".run." + token(to.App)
	if to.Instance == "" {
		return subject + ".any"
	}
	return subject + ".at." + to.Instance
}

// consumer is the durable name of those who take the runs of an address.
func (n names) consumer(of xxladapter.QueueAddress) string {
	sum := sha256.Sum256([]byte(of.String()))
	return "runs-" + hex.EncodeToString(sum[:12])
}

// call is the subject of a call to one executor. op may be *.
func (n names) call(to xxladapter.QueueAddress, op string) string {
	return "xw." + n.namespace + ".call." + token(to.App) + "." + to.Instance + "." + op
}

// up is the subject of a call to a scheduler. op may be *.
func (n names) up(op string) string { return "xw." + n.namespace + ".up." + op }

// lastToken returns the operation that a call's subject ends in.
func lastToken(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }
