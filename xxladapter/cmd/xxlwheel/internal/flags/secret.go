// Package flags reads the values that flags of several commands take: secrets, spans of days,
// instants and time zones. The flags themselves are in the packages of their commands.
package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A Secret is the value of a flag that must stay hidden: the value itself, or @FILE, a file whose
// only line is the value. The process list shows flags to every user of the machine, and every
// child process inherits the environment. The file may be readable by others: container platforms
// mount secrets that way into private directories.
type Secret string

// UnmarshalText reads the flag, or the file that it names.
func (s *Secret) UnmarshalText(text []byte) error {
	file, isFile := strings.CutPrefix(string(text), "@")
	if !isFile {
		*s = Secret(text)
		return nil
	}
	content, err := ReadFile(file)
	if err != nil {
		return err
	}
	line := strings.TrimRight(content, "\r\n")
	switch {
	case line == "":
		return fmt.Errorf("file %s is empty, must have the secret as its only line", file)
	case strings.ContainsAny(line, "\r\n"):
		return fmt.Errorf("file %s has several lines, must have the secret as its only line", file)
	}
	*s = Secret(line)
	return nil
}

// String hides the secret from anything that prints the flags.
func (Secret) String() string { return "***" }

// GoString does what String does.
func (Secret) GoString() string { return "***" }

// Revealed returns the secrets as texts.
func Revealed(secrets []Secret) (texts []string) {
	for _, s := range secrets {
		texts = append(texts, string(s))
	}
	return texts
}

// ReadFile reads a file that a flag names. An error about a URL does not show it, since it may have
// a password.
func ReadFile(file string) (string, error) {
	if strings.Contains(file, "://") {
		return "", errors.New("a URL is given, must be the name of a file")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return "", fmt.Errorf("file %q cannot be read: %w", file, err)
	}
	return string(text), nil
}
