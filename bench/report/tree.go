package main

import (
	"errors"
	"os/exec"
	"strings"
)

// A tree is the state of the sources that are measured.
type tree struct {
	commit  string // empty without git
	changed bool   // there are changes that are not committed
}

// measured are the sources on which figures depend, as seen from this folder.
var measured = []string{"../../hashedwheel", "../../go.mod", "../../go.sum", "..", ":!../results"}

// readTree reads the state of the tree from git. The folder must lie in its repository where
// bench/report lies in this one, because the paths in measured are relative to it.
func readTree(folder string) tree {
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir = folder
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	commit, err := git("rev-parse", "--short", "HEAD")
	if err != nil {
		return tree{}
	}
	changes, err := git(append([]string{"status", "--porcelain", "--"}, measured...)...)
	return tree{commit, err != nil || changes != ""}
}

func (t tree) String() string {
	switch {
	case t.commit == "":
		return "unknown"
	case t.changed:
		return t.commit + " with changes"
	}
	return t.commit
}

// permits returns an error if t has uncommitted changes and the plan does not allow them. The
// results of a short run are not published, so the tree does not matter then.
func (p plan) permits(t tree) error {
	if t.changed && !p.changed && !p.short {
		return errors.New("hashedwheel or bench has changes that are not committed, so nobody could measure the same again: commit them, or give -changed, which the results name")
	}
	return nil
}
