package redisstore

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// A view is what a node of a cluster says about itself and about the others.
type view struct {
	self home
	// master is false for a replica.
	master bool
	// before is the history that the node continued when it was promoted last, since its start.
	before string
	// owner is the id of the node that has the slot; empty means none.
	owner string
	// known are all nodes by id.
	known map[string]peer
}

// A peer is a node as another one knows it.
type peer struct {
	address string // empty if it is unknown
	alias   string // the address in the other form: with the announced name, or without it
	master  bool
}

// readView reads the answers to CLUSTER NODES and INFO replication of a node that was asked at an
// address. If names is set, the names that the nodes announce replace their addresses.
func readView(nodes, replication, asked string, slot int64, names bool) (view, error) {
	v := view{known: map[string]peer{}}
	for line := range strings.Lines(nodes) {
		fields := strings.Fields(line)
		if len(fields) < 8 {
			return v, fmt.Errorf("CLUSTER NODES has a line of %d fields, must have 8", len(fields))
		}
		flags := "," + fields[2] + ","
		if strings.Contains(flags, ",handshake,") {
			continue // it is no member yet
		}
		id := fields[0]
		p := peer{master: strings.Contains(flags, ",master,")}
		if !strings.Contains(flags, ",noaddr,") {
			p.address, p.alias = addressOf(fields[1], asked, names), addressOf(fields[1], asked, !names)
		}
		v.known[id] = p
		if strings.Contains(flags, ",myself,") {
			v.self.node, v.self.epoch, v.master = id, fields[6], p.master
		}
		if has(fields[8:], slot) {
			v.owner = id
		}
	}
	for line := range strings.Lines(replication) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch name {
		case "master_replid":
			v.self.history = value
		case "master_replid2":
			v.before = value
		}
	}
	if v.self.node == "" || v.self.history == "" {
		return v, fmt.Errorf("node %s does not say who it is", asked)
	}
	return v, nil
}

// addressOf returns the address in a field such as 10.0.0.1:6379@16379,name of CLUSTER NODES. A
// node may not know its own host, which is that at which it was asked.
func addressOf(field, asked string, names bool) string {
	at, rest, _ := strings.Cut(field, "@")
	i := strings.LastIndexByte(at, ':')
	if i < 0 {
		return ""
	}
	host, port := at[:i], at[i+1:]
	parts := strings.Split(rest, ",")
	if names && len(parts) > 1 && parts[1] != "" {
		host = parts[1]
	}
	return net.JoinHostPort(hostOr(host, asked), port)
}

// hostOr returns a host, or that of an address if it is unknown.
func hostOr(host, address string) string {
	if host == "" || host == "?" {
		host, _, _ = net.SplitHostPort(address)
	}
	return strings.Trim(host, "[]")
}

// has reports whether a slot is in one of the ranges of CLUSTER NODES, such as 5 or 0-5460. Slots
// that are migrating are in brackets, and in a range too.
func has(ranges []string, slot int64) bool {
	for _, r := range ranges {
		first, last, is := strings.Cut(r, "-")
		if !is {
			last = first
		}
		from, err := strconv.ParseInt(first, 10, 64)
		to, other := strconv.ParseInt(last, 10, 64)
		if err == nil && other == nil && from <= slot && slot <= to {
			return true
		}
	}
	return false
}
