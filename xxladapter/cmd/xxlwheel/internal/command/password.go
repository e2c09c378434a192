package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxPasswordInput limits what is read from standard input, in bytes; the scheduler accepts only
// far shorter passwords.
const maxPasswordInput = 64 << 10

// ReadPassword asks for a password on a terminal without echo, and for a new one twice. Without a
// terminal, the password is the only line of standard input.
func ReadPassword(inv *Invocation, isNew bool) (string, error) {
	if !IsTerminal(inv.Stdin) {
		input, err := passwordInput(inv)
		if err != nil {
			return "", err
		}
		return onlyLine(input)
	}
	terminal := inv.Stdin.(*os.File)
	if isNew {
		return askNew(inv, terminal, "Password: ")
	}
	password, err := askHidden(inv, terminal, "Password: ")
	return string(password), err
}

// ReadOldAndNew asks for the current password, and twice for the one that replaces it, on a
// terminal without echo. Without a terminal, the two are the lines of standard input.
func ReadOldAndNew(inv *Invocation) (old, replacing string, err error) {
	if !IsTerminal(inv.Stdin) {
		input, err := passwordInput(inv)
		if err != nil {
			return "", "", err
		}
		lines := strings.FieldsFunc(input, func(r rune) bool { return r == '\r' || r == '\n' })
		if len(lines) != 2 {
			return "", "", Usagef(
				"standard input has %d lines with text, must have two: the current password and the new one",
				len(lines),
			)
		}
		return lines[0], lines[1], nil
	}
	terminal := inv.Stdin.(*os.File)
	password, err := askHidden(inv, terminal, "Password: ")
	if err != nil {
		return "", "", err
	}
	replacing, err = askNew(inv, terminal, "New password: ")
	return string(password), replacing, err
}

func passwordInput(inv *Invocation) (string, error) {
	input, err := await(
		inv.Context, func() ([]byte, error) { return io.ReadAll(io.LimitReader(inv.Stdin, maxPasswordInput)) },
	)
	if err != nil {
		return "", fmt.Errorf("read password from standard input: %w", err)
	}
	return string(input), nil
}

// askNew asks twice for a new password.
func askNew(inv *Invocation, terminal *os.File, prompt string) (string, error) {
	first, err := askHidden(inv, terminal, prompt)
	if err != nil {
		return "", err
	}
	second, err := askHidden(inv, terminal, "The same again: ")
	switch {
	case err != nil:
		return "", err
	case len(first) == 0:
		return "", Usagef("password is empty, must have at least one character")
	case !bytes.Equal(first, second):
		return "", Usagef("the two passwords differ, must be the same")
	}
	return string(first), nil
}

// IsTerminal reports whether a stream of the command is a terminal.
func IsTerminal(stream any) bool {
	if out, is := stream.(*Output); is {
		stream = out.to
	}
	file, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// onlyLine returns the line of a text that must have exactly one.
func onlyLine(text string) (string, error) {
	line := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case line == "":
		return "", Usagef("standard input is empty, must have the password as its only line")
	case strings.ContainsAny(line, "\r\n"):
		return "", Usagef("standard input has several lines, must have the password as its only line")
	}
	return line, nil
}

// askHidden reads a line that is not echoed. When the command is interrupted meanwhile, it switches
// the echo on again: the shell that follows would be left without it.
func askHidden(inv *Invocation, terminal *os.File, prompt string) ([]byte, error) {
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return nil, fmt.Errorf("read password from the terminal: %w", err)
	}
	fmt.Fprint(inv.Stderr, prompt)
	line, err := await(inv.Context, func() ([]byte, error) { return term.ReadPassword(fd) })
	fmt.Fprintln(inv.Stderr) // the typed line break was not echoed either
	if err != nil {
		_ = term.Restore(fd, before) // the error to report is the first one
		return nil, fmt.Errorf("read password from the terminal: %w", err)
	}
	return line, nil
}

// ReadInput returns all of standard input, or an error once the command is interrupted.
func ReadInput(inv *Invocation) ([]byte, error) {
	input, err := await(inv.Context, func() ([]byte, error) { return io.ReadAll(inv.Stdin) })
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return input, nil
}

// await returns what read returns, or the error of ctx if that ends first. Nothing interrupts a
// read from a terminal or a pipe, so read then continues until the process ends.
func await(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		input []byte
		err   error
	}
	done := make(chan result, 1)
	go func() { // nobody waits for it once ctx has ended, see above
		input, err := read()
		done <- result{input, err}
	}()
	select {
	case r := <-done:
		return r.input, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
