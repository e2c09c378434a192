//go:build unix

package testserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startWithin is how long a server may take to start, and to stop.
const startWithin = 60 * time.Second

// An account is the user that a server runs as; nil means the user of the test.
type account struct{ uid, gid uint32 }

// serverAccount returns another account if the test runs as root, because servers refuse to run as
// root.
func serverAccount(names ...string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range append(names, "nobody") {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &account{uint32(uid), uint32(gid)}, nil
	}
	return nil, errors.New("there is neither an account for the server nor nobody")
}

// attributes returns the attributes of a process that runs as the account, in a process group of
// its own, so that no keyboard signal reaches it.
func (a *account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if a != nil {
		attr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return attr
}

// folder creates a folder that the account owns, below parent; "" means the directory for
// temporary files.
func (a *account) folder(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "testserver")
	if err != nil || a == nil {
		return dir, err
	}
	return dir, os.Chown(dir, int(a.uid), int(a.gid))
}

// own gives the account a folder and all that is in it.
func (a *account) own(dir string) error {
	if a == nil {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, int(a.uid), int(a.gid)))
	})
}

// run runs a program and waits for its end.
func (a *account) run(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = a.attributes()
	cmd.Dir = "/"
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, said)
	}
	return nil
}

// A process is the running program of a server.
type process struct {
	cmd    *exec.Cmd
	ended  chan struct{} // closed when it has ended
	stdin  *os.File      // our end of the watchdog's input
	logged string        // the file with its output
}

// launch starts the program; its output is appended to the log file.
func (a *account) launch(log, program string, args ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = a.attributes()
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, ended: make(chan struct{}), logged: log}
	if p.stdin, err = watch(cmd.Process.Pid, filepath.Dir(log)); err != nil {
		_ = cmd.Process.Kill()
		return nil, errors.Join(err, cmd.Wait())
	}
	go func() { // wait waits for it
		defer close(p.ended)
		_ = cmd.Wait() // its log says more than its exit code
	}()
	return p, nil
}

// watchdog waits for the end of its input, which comes when the test process ends, however that
// happens. Then it kills the server and removes its folder. If the input is "done", there is
// nothing left to do.
const watchdog = `
read -r word
if [ "$word" != done ]; then
	kill -KILL "$1" $(cat /proc/"$1"/task/"$1"/children 2>/dev/null) 2>/dev/null
	rm -rf "$2"
fi`

func watch(pid int, dir string) (*os.File, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command("/bin/sh", "-c", watchdog, "watchdog", strconv.Itoa(pid), dir)
	cmd.Stdin = theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	// The watchdog ends after its input, at the latest when this process ends. Nobody waits for it.
	go func() { _ = cmd.Wait() }()
	return ours, nil
}

// wait returns when the process has ended, and kills it if that takes too long.
func (p *process) wait() error {
	defer func() {
		_, _ = p.stdin.WriteString("done\n")
		_ = p.stdin.Close()
	}()
	select {
	case <-p.ended:
		return nil
	case <-time.After(startWithin):
		err := p.signal(syscall.SIGKILL)
		<-p.ended
		return errors.Join(errors.New("the server did not stop when it was asked to"), err)
	}
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// family returns the process and those that it started itself.
func (p *process) family() []int {
	pid := p.cmd.Process.Pid
	family := []int{pid}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return family // no such file on other systems
	}
	for field := range strings.FieldsSeq(string(children)) {
		if child, err := strconv.Atoi(field); err == nil {
			family = append(family, child)
		}
	}
	return family
}

// signal sends a signal to the whole family, the parent first, so that it starts no further
// process.
func (p *process) signal(sig syscall.Signal) error {
	if p.hasEnded() {
		return errors.New("the server does not run")
	}
	if err := syscall.Kill(p.cmd.Process.Pid, sig); err != nil {
		return err
	}
	for _, pid := range p.family()[1:] {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// lastWords returns the end of the log.
func (p *process) lastWords() string {
	said, _ := os.ReadFile(p.logged)
	return string(said[max(0, len(said)-2000):])
}
