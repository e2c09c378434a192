package conventions

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lastUnchecked is the newest commit whose message is not checked. Older ones break the rules, and
// cannot be changed.
const lastUnchecked = "432d3f14869e2dd797fe1257b269f28631bbd071"

// subjects matches the first line of a message: folders, and a verb without a capital.
var subjects = regexp.MustCompile(`^[\w./-]+(, [\w./-]+)*: [a-z](.*[^.])?$`)

// TestCommitsSayWhatAndWhy checks the messages of commits as CONTRIBUTING.md describes them. It
// skips what is not a clone with the history, such as an archive.
func TestCommitsSayWhatAndWhy(t *testing.T) {
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		return string(out), err
	}
	exists(".git/logs/HEAD") // so that go test does not repeat a cached result after a commit
	if _, err := git("merge-base", "--is-ancestor", lastUnchecked, "HEAD"); err != nil {
		t.Skip("the history since " + lastUnchecked + " is not here")
	}
	log, err := git("log", "-z", "--no-merges", "--format=%h%n%B", lastUnchecked+"..HEAD")
	require.NoError(t, err)
	for commit := range strings.SplitSeq(log, "\x00") {
		if commit == "" { // behind the last one
			continue
		}
		hash, message, _ := strings.Cut(commit, "\n")
		if fault := faultOf(message); fault != "" {
			t.Errorf("commit %s: %s", hash, fault)
		}
	}
}

// faultOf returns what is wrong with the message of a commit, or an empty text.
func faultOf(message string) string {
	subject, body, _ := strings.Cut(message, "\n")
	switch {
	case !subjects.MatchString(subject):
		return "the subject is \"" + subject + "\", must be \"package: verb ...\" without a period"
	case strings.TrimSpace(body) == "":
		return "the message has no body, must say what was true before, what is true now, and why"
	case !strings.HasPrefix(body, "\n"):
		return "the second line of the message has text, must be empty"
	}
	return ""
}

func TestFaultsOfMessagesAreFound(t *testing.T) {
	for message, fault := range map[string]string{
		"admin: add a call\n\nIt was missing.\n":          "",
		"repo: add a rule\n\nIt was missing.\n":           "",
		".ci, admin/api: add a call\n\nIt was missing.\n": "",
		"CONTRIBUTING: add a rule\n\nIt was missing.\n":   "",
		"":                                        "the subject",
		"wip\n\nMore follows.\n":                  "the subject",
		"Add a call\n\nIt was missing.\n":         "the subject",
		"admin: Add a call\n\nIt was missing.\n":  "the subject",
		"admin:add a call\n\nIt was missing.\n":   "the subject",
		"admin: add a call.\n\nIt was missing.\n": "the subject",
		"admin: \n\nIt was missing.\n":            "the subject",
		"admin: add a call":                       "no body",
		"admin: add a call\n\n \n":                "no body",
		"admin: add a call\nIt was missing.\n":    "the second line",
	} {
		if fault == "" {
			require.Empty(t, faultOf(message), "%q", message)
			continue
		}
		require.Contains(t, faultOf(message), fault, "%q", message)
	}
}
