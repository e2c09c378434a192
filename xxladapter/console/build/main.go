// Command build makes the files in ../dist from the sources in ../web.
//
//	go run .          bundle ../web into ../dist
//	go run . check    check the types with the TypeScript compiler, which is fetched once
//	go run . vendor   fetch the npm packages of vendor.lock again
//
// It needs no Node: esbuild is a Go library, and the TypeScript compiler is a native program.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// run executes one command in the folder build.
func run(args []string) error {
	dir, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		files, err := bundle(dir)
		if err != nil {
			return err
		}
		return replace(filepath.Join(dir, "dist"), files)
	case len(args) == 1 && args[0] == "check":
		return check(dir)
	case len(args) == 1 && args[0] == "vendor":
		return vendor(dir)
	}
	return fmt.Errorf("arguments are %q, must be none, check or vendor", args)
}

// replace makes files the only content of dir. The keys are slash-separated paths below dir.
func replace(dir string, files map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
