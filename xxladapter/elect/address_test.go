package elect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]elect.Address{
		"etcd://h1/xxlwheel":            {Scheme: "etcd", Hosts: []string{"h1:2379"}, Path: "/xxlwheel"},
		"etcd://u:p%40ss@h1:1,h2/a/b/":  {Scheme: "etcd", Hosts: []string{"h1:1", "h2:2379"}, User: "u", Password: "p@ss", Path: "/a/b"},
		"zookeeper://h1,h2,h3:7/jobs\n": {Scheme: "zookeeper", Hosts: []string{"h1:2181", "h2:2181", "h3:7"}, Path: "/jobs"},
		"zookeeper://[::1]:7/jobs":      {Scheme: "zookeeper", Hosts: []string{"[::1]:7"}, Path: "/jobs"},
		"etcd://[::1]/jobs":             {Scheme: "etcd", Hosts: []string{"[::1]:2379"}, Path: "/jobs"},
	} {
		got, err := elect.ParseAddress(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for text, shown := range map[string]string{
		"etcds://u:secret@h1:1,h2/a/": "etcds://h1:1,h2:2379/a",
		"zookeepers://h1/a":           "zookeepers://h1:2181/a",
	} {
		got, err := elect.ParseAddress(text)
		require.NoError(t, err, text)
		require.NotNil(t, got.TLS)
		require.Equal(t, shown, got.String())
	}
	for text, want := range map[string]string{
		"":                          "elector must be etcd:// or zookeeper://",
		"h1:2379/a":                 "elector must be etcd://",
		"consul://h1/a":             "elector must be etcd://",
		"etcdss://h1/a":             "elector must be etcd://",
		"etcd:///a":                 "elector must be etcd://",
		"etcd://h1,/a":              "elector must be etcd://",
		"etcd://h1/a?b=c":           "elector must be etcd://",
		"etcd://h1":                 "elector must name a path",
		"etcd://h1/":                "elector must name a path",
		"etcd://h1/a//b":            "elector must name a path",
		"etcd://user@h1/a":          "elector must have both a user and a password",
		"etcd://u:s%zzecret@h1:x/a": "elector must be etcd://",
		"etcd://:secret@h1/a":       "elector must have both a user and a password",
	} {
		_, err := elect.ParseAddress(text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "secret")
	}
}
