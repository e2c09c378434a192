package access

import (
	"net/netip"
	"slices"
)

// metadata lists the addresses outside the link-local ranges at which clouds serve their machines'
// secrets.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),      // Amazon
	netip.MustParseAddr("fd00:ec2::23"),       // Amazon, for pods
	netip.MustParseAddr("fd20:ce::254"),       // Google
	netip.MustParseAddr("fd00:c1::a9fe:a9fe"), // Oracle
	netip.MustParseAddr("fd00:42::42"),        // Scaleway
	netip.MustParseAddr("100.100.100.200"),    // Alibaba
	netip.MustParseAddr("192.0.0.192"),        // Oracle
	netip.MustParseAddr("168.63.129.16"),      // Azure
}

// IsMetadata reports whether a cloud serves its machines' secrets at ip, which has no zone and is
// not mapped. Link-local addresses, at which most clouds do, are not among them: callers refuse all
// of those.
func IsMetadata(ip netip.Addr) bool { return slices.Contains(metadata, ip) }

// carriers lists IPv6 networks whose addresses stand for an IPv4 address, which a gateway or the
// system puts in their place, and the byte at which the IPv4 address begins.
var carriers = []struct {
	network netip.Prefix
	at      int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},   // NAT64
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12}, // NAT64, local use
	{netip.MustParsePrefix("2002::/16"), 2},       // 6to4
	{netip.MustParsePrefix("::/96"), 12},          // IPv4-compatible
}

// CarriedBy returns the IPv4 address for which an IPv6 address stands, if it stands for one.
func CarriedBy(ip netip.Addr) (netip.Addr, bool) {
	for _, c := range carriers {
		if c.network.Contains(ip) {
			bytes := ip.As16()
			return netip.AddrFrom4([4]byte(bytes[c.at : c.at+4])), true
		}
	}
	return netip.Addr{}, false
}
