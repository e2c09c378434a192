package redisstore

import (
	"fmt"
	"strconv"
	"strings"
)

// A home is where the head of a log is in a cluster: a node, with its epoch and history at that
// time. The head names its home, so the keys themselves name the node that wrote them last.
type home struct {
	node    string // id
	epoch   string // config epoch of the node
	history string // replication id, which a promotion and a restart change
}

func (h home) String() string {
	if h == (home{}) {
		return ""
	}
	return h.node + " " + h.epoch + " " + h.history
}

// homeOf reads a home.
func homeOf(text string) (h home) {
	if parts := strings.Fields(text); len(parts) == 3 {
		h = home{parts[0], parts[1], parts[2]}
	}
	return h
}

// short returns a text of at most 64 bytes for operators, which differs for each home. It is empty
// outside a cluster.
func (h home) short() string {
	if h == (home{}) {
		return ""
	}
	return fmt.Sprintf("node %.12s in epoch %s, history %.12s", h.node, h.epoch, h.history)
}

// stayed reports whether a node that was at h and is at now has kept all that it confirmed. A
// promotion changes epoch and history; another slot that the node imports changes the epoch only,
// and a restart the history only. A restart may lose something if lossy is set.
func (h home) stayed(now home, lossy bool) bool {
	return h.node == now.node && (h.history == now.history || h.epoch == now.epoch && !lossy)
}

// before reports whether h has an earlier epoch than now, which is a home in the same history.
func (h home) before(now home) bool {
	from, err := strconv.ParseUint(h.epoch, 10, 64)
	to, other := strconv.ParseUint(now.epoch, 10, 64)
	return err == nil && other == nil && from < to
}
