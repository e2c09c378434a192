package browser

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/console"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// The variables that make the test program a scheduler: the file of its store, and the address on
// which it listens.
const (
	fileEnv   = "XXLWHEEL_BROWSER_TEST_FILE"
	listenEnv = "XXLWHEEL_BROWSER_TEST_LISTEN"
)

// runScheduler writes its address to standard output and schedules until it is killed.
func runScheduler(file, listen string) (code int) {
	ctx := context.Background()
	err := func() error {
		logger := slog.New(slog.DiscardHandler)
		store, err := sqlstore.OpenSQLite(ctx, file, sqlstore.Options{Logger: logger})
		if err != nil {
			return err
		}
		pages, err := console.New(console.Options{})
		if err != nil {
			return err
		}
		n, err := node.New(node.Options{Store: store, Console: pages, Logger: logger})
		if err != nil {
			return err
		}
		ln, err := net.Listen("tcp", listen)
		if err != nil {
			return err
		}
		fmt.Println(ln.Addr())
		return n.Run(ctx, ln)
	}()
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// A process is a scheduler that can be killed.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	addr string
}

// startProcess starts a scheduler on a file, which several may share. With an empty address it
// chooses one.
func startProcess(t *testing.T, file, listen string) *process {
	t.Helper()
	if listen == "" {
		listen = loopback
	}
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{t: t, cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), fileEnv+"="+file, listenEnv+"="+listen)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	p.addr = strings.TrimSpace(line)
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return p
}

// kill sends SIGKILL and waits until the process is gone.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

func (p *process) signal(s os.Signal) { require.NoError(p.t, p.cmd.Process.Signal(s)) }

// A frozen scheduler accepts connections and never answers. Pages report it and keep what they
// showed. An order that was sent meanwhile is neither given up nor called done, and is carried out
// once the scheduler continues.
func TestASchedulerIsFrozen(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	p := startProcess(t, filepath.Join(t.TempDir(), "frozen.db"), "")
	s := &site{t: t, url: "http://" + p.addr}
	var created struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": siteApp, "title": "Orders"}, &created)
	job := s.job(created.ID, "settle orders", nil)
	const told = `document.querySelector(".banner")?.innerText.includes("The scheduler does not answer")`

	tab := s.open("jobs")
	tab.allowed = append(tab.allowed, "net::ERR_")
	tab.sees("settle orders")
	tab.until("the page hears", hears)
	edit := tab.beside(fmt.Sprintf("jobs/%d/edit", job))
	edit.typeIn("Name", "settle all orders")
	edit.click("Review changes")
	p.signal(syscall.SIGSTOP)
	edit.click("Save")
	tab.until("the page does not hear", "!("+hears+")")
	tab.until("it says so", told)
	tab.sees("settle orders")
	edit.until("the other page says so too", told)
	edit.until("the order is not called done", `!document.body.innerText.includes("was saved") && document.querySelector("input[name=name]").value === "settle all orders"`)
	edit.picture("edit-frozen")

	p.signal(syscall.SIGCONT)
	edit.sees("settle all orders was saved")
	tab.until("the page continues", "!("+told+")")
	tab.sees("settle all orders")
	tab.until("it hears again", hears)
}

// The page of schedulers shows that one was killed. When the scheduler of the page itself is
// killed, the page keeps what it showed and what was typed, and continues without a reload once the
// scheduler is started again.
func TestSchedulersAreKilled(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	file := filepath.Join(t.TempDir(), "shared.db")
	first := startProcess(t, file, "")
	second := startProcess(t, file, "")
	s := &site{t: t, url: "http://" + first.addr}
	var created struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": siteApp, "title": "Orders"}, &created)
	job := s.job(created.ID, "settle orders", nil)

	tab := s.open("nodes")
	tab.allowed = append(tab.allowed, "net::ERR_")
	const rows = `[...document.querySelectorAll("table[aria-label=Nodes] tbody tr")]`
	const moves = `[...document.querySelectorAll("table[aria-label='How partitions changed hands'] tbody tr")]`
	tab.until("two schedulers", rows+`.length === 2`)
	tab.until("they share the jobs", rows+`.every((r) => /\b32\b/.test(r.innerText))`)
	tab.until("each tells its clock and its pools", rows+`.every((r) => /ms/.test(r.innerText) && /0 of 200/.test(r.innerText) && /0 of 100/.test(r.innerText))`)
	tab.until("both have joined", moves+`.length === 2 && `+moves+`.every((r) => r.innerText.includes("Joined"))`)
	second.kill()
	tab.until("the one that was killed is gone, and the other has its jobs", rows+`.length === 1 && /\b64\b/.test(`+rows+`[0].innerText)`)

	tab.until("it says why", moves+`[0].innerText.includes("Lease lapsed") && `+moves+`[0].innerText.includes("32 of 64")`)
	tab.accessible("nodes-moves")
	tab.picture("nodes-moves")

	edit := tab.beside(fmt.Sprintf("jobs/%d/edit", job))
	edit.allowed = append(edit.allowed, "net::ERR_")
	edit.typeIn("Owner", "li.na")
	edit.eval(`window.same = true, 0`, nil)
	tab.eval(`window.same = true, 0`, nil)
	var before string
	tab.eval(rows+`[0].querySelector("td").innerText`, &before)
	first.kill()
	tab.sees("The scheduler does not answer")
	tab.until("what was shown is still there", rows+`.length === 1`)
	tab.accessible("nodes-offline")
	tab.picture("nodes-offline")
	edit.click("Review changes")
	edit.click("Save")
	edit.until("the failure is shown, and nothing is lost", `document.querySelector("form .field-error, dialog .field-error") && document.querySelector("input[name=author]").value === "li.na"`)
	edit.picture("edit-offline")

	startProcess(t, file, first.addr)
	tab.until("the page continues", `!document.body.innerText.includes("does not answer") && `+rows+`.length === 1 && !`+rows+fmt.Sprintf(`[0].innerText.includes(%q)`, before))
	tab.until("it hears of changes again", hears)
	tab.until("it was not loaded again", `window.same`)
	edit.click("Review changes")
	edit.click("Save")
	edit.sees("settle orders was saved")
	edit.until("it was not loaded again", `window.same`)
}
