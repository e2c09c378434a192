package main

import (
	"io"
	"os"
	"strings"
	"testing"

	xxl "github.com/xxl-job/xxl-job-executor-go"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// roleVariable makes the test binary run as another program, so that tests can start real processes
// of it and kill them.
const roleVariable = "XXLWHEEL_TEST_ROLE"

// noParent lets the other program read its standard input, which otherwise shows whether the test
// still runs.
const noParent = "XXLWHEEL_TEST_NO_PARENT"

func TestMain(m *testing.M) {
	// A developer's own settings must not change what the tests see.
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "XXLWHEEL_") && !strings.HasPrefix(name, "XXLWHEEL_TEST_") && name != "XXLWHEEL_REQUIRE_SERVERS" {
			os.Unsetenv(name)
		}
	}
	switch os.Getenv(roleVariable) {
	case "xxlwheel":
		if os.Getenv(noParent) == "" {
			endWithParent()
		}
		main()
	case "go-executor":
		endWithParent()
		goExecutor(os.Args[1], os.Args[2], os.Args[3])
	default:
		testserver.Main(m)
	}
}

// endWithParent ends this process when the test that started it has ended and so has closed its end
// of standard input.
func endWithParent() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
}

// goExecutor runs a program on the common Go executor, as its README shows it.
func goExecutor(admin, port, token string) {
	exec := xxl.NewExecutor(
		xxl.ServerAddr(admin),
		xxl.AccessToken(token),
		xxl.ExecutorIp("127.0.0.1"),
		xxl.ExecutorPort(port),
		xxl.RegistryKey("golang-jobs"),
	)
	exec.Init()
	exec.RegTask("task.test", taskTest)
	exec.RegTask("task.panic", taskPanic)
	if err := exec.Run(); err != nil {
		os.Exit(1)
	}
}
