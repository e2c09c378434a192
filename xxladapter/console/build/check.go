package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// typescript is the release of the compiler. The map archives has the SHA-512 of npm's archive with
// its native program, for each system that it is run on.
const typescript = "7.0.2"

var archives = map[string]string{
	"linux/amd64": "sha512-EYdf2cNg7rgCWJnxCdJ+F3V39O8ihb37eHAu1LK8oAFizgTQbPOK7zHHXbPt8rX24COqODXeI3sIf0fCXG7H/A==",
	"linux/arm64": "sha512-Qh4eU4/y3yDjnfjjyPYihMj5/ODIlmt+Bzu17OI+fiSRDW57QmU5SiN63exPRNJPKUzcc1INa1NXdrJ+MqHjUQ==",
}

// check runs the TypeScript compiler on web. The compiler prints what it finds, and is fetched into
// the user's cache when it is not there.
func check(dir string) error {
	program, err := compiler()
	if err != nil {
		return err
	}
	run := exec.Command(program, "--noEmit", "--project", filepath.Join(dir, "web"))
	run.Stdout, run.Stderr = os.Stdout, os.Stderr
	return run.Run()
}

// compiler returns the path of the TypeScript compiler.
func compiler() (string, error) {
	system := runtime.GOOS + "/" + runtime.GOARCH
	archive, known := archives[system]
	if !known {
		return "", fmt.Errorf("the system is %s, must be one with a hash in check.go", system)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "xxlwheel", "typescript-"+typescript)
	program := filepath.Join(folder, "lib", "tsc")
	if _, err := os.Stat(program); err == nil || !errors.Is(err, os.ErrNotExist) {
		return program, err
	}
	cpu := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	files, err := fetch(
		"@typescript/typescript-"+runtime.GOOS+"-"+cpu, typescript, archive, func(string) bool { return true },
	)
	if err != nil {
		return "", err
	}
	if err := replace(folder, files); err != nil {
		return "", err
	}
	return program, os.Chmod(program, 0o755)
}
