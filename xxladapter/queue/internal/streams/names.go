package streams

import (
	"net/url"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// names makes the names of one namespace. Each name that an executor uses has the app in a part of
// its own, so that a user of Redis can be granted those of one app.
type names struct{ namespace string }

// group is the consumer group of each stream.
const group = "executors"

// separators escapes what url.PathEscape leaves and a part of a name must not have: a colon would
// end the part. PathEscape itself escapes *, which would be a pattern in a user's rights.
var separators = strings.NewReplacer(":", "%3A")

func part(app string) string { return separators.Replace(url.PathEscape(app)) }

// appOf returns the app of a part.
func appOf(text string) (string, bool) {
	app, err := url.PathUnescape(text)
	return app, err == nil && app != "" && part(app) == text
}

func (n names) prefix() string { return "xw:" + n.namespace + ":" }

// run returns the stream of the runs for an address.
func (n names) run(to xxladapter.QueueAddress) string {
	stream := n.prefix() + "run:" + part(to.App)
	if to.Instance == "" {
		return stream + ":any"
	}
	return stream + ":at:" + to.Instance
}

// ranBy returns the app of a stream.
func (n names) ranBy(stream string) (string, bool) {
	rest, ok := strings.CutPrefix(stream, n.prefix()+"run:")
	first, _, _ := strings.Cut(rest, ":")
	app, valid := appOf(first)
	return app, ok && valid
}

func (n names) seen(app, key string) string { return n.prefix() + "seen:" + part(app) + ":" + key }
func (n names) queues() string              { return n.prefix() + "queues" }
func (n names) limits() string              { return n.prefix() + "limits" }

// call returns the channel of the calls to one executor.
func (n names) call(to xxladapter.QueueAddress) string {
	return n.prefix() + "call:" + part(to.App) + ":" + to.Instance
}

// up returns the channel of the calls to schedulers by the executors of an app. The keys that hold
// these calls begin with it.
func (n names) up(app string) string { return n.prefix() + "up:" + part(app) }

// allUp returns the pattern of all these channels.
func (n names) allUp() string { return n.prefix() + "up:*" }

// calledBy returns the app of such a channel.
func (n names) calledBy(channel string) (string, bool) {
	rest, ok := strings.CutPrefix(channel, n.prefix()+"up:")
	app, valid := appOf(rest)
	return app, ok && valid
}

// reply returns a channel for replies to one executor of an app, or to one scheduler if app is
// empty.
func (n names) reply(app, to string) string {
	if app == "" {
		return n.prefix() + "reply:schedulers:" + to
	}
	return n.prefix() + "reply:app:" + part(app) + ":" + to
}
