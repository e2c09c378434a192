package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A secret is the value of a flag that must stay hidden: the value itself, or @FILE, a file whose
// only line is the value. The process list shows flags to every user of the machine, and every
// child process inherits the environment. The file may be readable by others: container platforms
// mount secrets that way into private directories.
type secret string

// UnmarshalText reads the flag, or the file that it names.
func (s *secret) UnmarshalText(text []byte) error {
	file, isFile := strings.CutPrefix(string(text), "@")
	if !isFile {
		*s = secret(text)
		return nil
	}
	content, err := readFile(file)
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
	*s = secret(line)
	return nil
}

// String hides the secret from anything that prints the flags.
func (secret) String() string { return "***" }

// GoString does what String does.
func (secret) GoString() string { return "***" }

func revealed(secrets []secret) (texts []string) {
	for _, s := range secrets {
		texts = append(texts, string(s))
	}
	return texts
}

// readFile reads a file that a flag names.
func readFile(file string) (string, error) {
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
