package conventions

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// links are the packages that other programs embed, with the modules of others that such a program
// links because of them: those of the package itself, and those of all that it imports. Each module
// has its reason. One that is not linked is an error too, so that it cannot come back unnoticed.
var links = map[string]map[string]string{
	"hashedwheel": {
		"go.uber.org/atomic": "the flags and the stages of a timer are of its types",
	},
	"xxladapter/executor": {
		"golang.org/x/time": "results are sent at a limited rate",
	},
	"xxladapter/node": {
		"github.com/beorn7/perks":             "client_golang computes quantiles with it",
		"github.com/cespare/xxhash/v2":        "client_golang hashes labels with it",
		"github.com/coreos/go-oidc/v3":        "people sign in at a provider of OpenID Connect",
		"github.com/go-jose/go-jose/v4":       "go-oidc verifies tokens with it",
		"github.com/munnerz/goautoneg":        "prometheus/common negotiates formats with it",
		"github.com/prometheus/client_golang": "figures are served at /metrics",
		"github.com/prometheus/client_model":  "client_golang writes its messages",
		"github.com/prometheus/common":        "client_golang writes its formats",
		"github.com/prometheus/procfs":        "client_golang reads the figures of the process with it",
		"github.com/wneessen/go-mail":         "alarms are sent by mail",
		"go.uber.org/atomic":                  "hashedwheel links it",
		"go.yaml.in/yaml/v3":                  "jobs are declared in YAML",
		"golang.org/x/crypto":                 "passwords are hashed with Argon2",
		"golang.org/x/oauth2":                 "people sign in at a provider of OpenID Connect",
		"golang.org/x/sync":                   "services end together",
		"golang.org/x/sys":                    "x/crypto and procfs ask the processor and the kernel with it",
		"golang.org/x/text":                   "go-mail prepares passwords with it",
		"golang.org/x/time":                   "callers are limited to a rate",
		"google.golang.org/protobuf":          "client_model has messages of it",
	},
}

func TestProgramsLinkFewModules(t *testing.T) {
	readFile(t, "go.mod") // so that a cached result does not outlive another version of a module
	for pkg, may := range links {
		linked := modulesOf(t, pkg)
		for name := range linked {
			if may[name] == "" {
				t.Errorf("%s links %s, for which there is no reason", pkg, name)
			}
		}
		for name := range may {
			if !linked[name] {
				t.Errorf("%s may link %s and does not: take the allowance back", pkg, name)
			}
		}
	}
}

// modulesOf returns the modules of others that a package of this repository links on Linux.
func modulesOf(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	const path = "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}"
	list := exec.Command("go", "list", "-deps", "-f", path, "./"+pkg)
	list.Dir, list.Stderr = "../..", os.Stderr
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := list.Output()
	require.NoError(t, err)
	modules := map[string]bool{}
	for _, name := range strings.Fields(string(out)) {
		modules[name] = true
	}
	return modules
}
