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
// not mapped. It is false for link-local addresses, which most clouds use: callers refuse all of
// those.
func IsMetadata(ip netip.Addr) bool { return slices.Contains(metadata, ip) }

// carriers lists IPv6 networks whose addresses stand for an IPv4 address, which a gateway or the
// system puts in their place, and the four bytes that are the IPv4 address. There are several
// choices if they depend on the length of the gateway's prefix; see RFC 6052, section 2.2.
var carriers = []struct {
	network netip.Prefix
	bytes   [][4]int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), [][4]int{{12, 13, 14, 15}}}, // NAT64
	{
		netip.MustParsePrefix("64:ff9b:1::/48"), // NAT64, local use: /48, /56, /64 and /96
		[][4]int{{6, 7, 9, 10}, {7, 9, 10, 11}, {9, 10, 11, 12}, {12, 13, 14, 15}},
	},
	{netip.MustParsePrefix("2002::/16"), [][4]int{{2, 3, 4, 5}}}, // 6to4
	{netip.MustParsePrefix("::/96"), [][4]int{{12, 13, 14, 15}}}, // IPv4-compatible
}

// CarriedBy returns the IPv4 addresses for which an IPv6 address may stand. Only a gateway knows
// which of several it is, and callers have to check each. If there may be several, addresses of
// 0.0.0.0/8 are left out: no machine has one, and the zeros around an IPv4 address look like one.
func CarriedBy(ip netip.Addr) (carried []netip.Addr) {
	for _, c := range carriers {
		if !c.network.Contains(ip) {
			continue
		}
		from := ip.As16()
		for _, at := range c.bytes {
			if from[at[0]] != 0 || len(c.bytes) == 1 {
				v4 := [4]byte{from[at[0]], from[at[1]], from[at[2]], from[at[3]]}
				carried = append(carried, netip.AddrFrom4(v4))
			}
		}
	}
	return carried
}
