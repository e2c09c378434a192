package main

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	xxl "github.com/xxl-job/xxl-job-executor-go"
)

// roleVariable makes the test binary run as another program, so that tests can
// start real processes of it and kill them.
const roleVariable = "XXLWHEEL_TEST_ROLE"

func TestMain(m *testing.M) {
	// A developer's own settings must not change what the tests see.
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "XXLWHEEL_") && name != roleVariable {
			os.Unsetenv(name)
		}
	}
	switch os.Getenv(roleVariable) {
	case "xxlwheel":
		main()
	case "go-executor":
		goExecutor(os.Args[1], os.Args[2], os.Args[3])
	default:
		os.Exit(m.Run())
	}
}

// goExecutor is a program on the common Go executor, as its README has it.
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
	// Without somebody who listens, the signal that its Run waits for would
	// end the process before it has deregistered.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM)
	if err := exec.Run(); err != nil {
		os.Exit(1)
	}
}
