package browser

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

var screens = flag.String("screens", "", "folder that TestScreens writes its pictures to")

// chromium is the browser that all tests share, each with a profile of its own; nil if the machine
// has none or the browser did not start.
var chromium context.Context

// startError is why the browser did not start; nil if it started or the machine has none.
var startError error

func TestMain(m *testing.M) {
	flag.Parse()
	if file := os.Getenv(fileEnv); file != "" {
		os.Exit(runScheduler(file, os.Getenv(listenEnv)))
	}
	code := func() int {
		program := browserProgram()
		if program == "" {
			return m.Run()
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(program),
			chromedp.NoSandbox, // Chromium refuses to start as root with its sandbox
			chromedp.Flag("disable-dev-shm-usage", true),
			chromedp.Flag("force-prefers-reduced-motion", true),
		)
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		defer stop()
		browser, end := chromedp.NewContext(allocator)
		defer end()
		if startError = chromedp.Do(browser); startError == nil {
			chromium = browser
		}
		return m.Run()
	}()
	os.Exit(code)
}

// browserProgram returns the path of Chromium, or "" if there is none.
func browserProgram() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	return ""
}

// needBrowser returns the browser. It skips the test if the machine has none.
func needBrowser(t testing.TB) context.Context {
	t.Helper()
	require.NoError(t, startError)
	if chromium == nil {
		testserver.Missing(t, "chromium is not on PATH")
	}
	return chromium
}
