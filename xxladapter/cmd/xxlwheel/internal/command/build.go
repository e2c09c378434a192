package command

import "runtime/debug"

// Build returns the release and the revision of a binary. They are empty if they are not known.
func Build(info *debug.BuildInfo, ok bool) (version, revision string) {
	if !ok {
		return "", ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	return info.Main.Version, revision
}
