package executor

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// language says how to run a glue type. Titles, commands and suffixes are those of XXL-JOB 3.4.2's
// GlueTypeEnum.
type language struct {
	title   string
	command string // empty means that it cannot be run here
	suffix  string
}

var languages = map[xxladapter.GlueType]language{
	xxladapter.GlueGroovy:     {"GLUE(Java)", "", ""},
	xxladapter.GlueShell:      {"GLUE(Shell)", "bash", ".sh"},
	xxladapter.GluePython:     {"GLUE(Python3)", "python3", ".py"},
	xxladapter.GluePython2:    {"GLUE(Python2)", "python", ".py"},
	xxladapter.GlueNodejs:     {"GLUE(Nodejs)", "node", ".js"},
	xxladapter.GluePowershell: {"GLUE(PowerShell)", "pwsh", ".ps1"},
	xxladapter.GluePHP:        {"GLUE(PHP)", "php", ".php"},
}

// glueVersion identifies a version of a job's script. As in XXL-JOB the time stands for the source;
// unlike there, the language counts too.
type glueVersion struct {
	lang    language
	updated int64
}

// scripts keeps the source of script jobs in memory, and in the files that interpreters read.
type scripts struct {
	dir string

	mu    sync.Mutex // guards the fields below, and the files in dir
	byJob map[int64]*script
}

type script struct {
	version glueVersion
	handler *handler
}

func newScripts(dataDir string) *scripts {
	return &scripts{dir: filepath.Join(dataDir, "gluesource"), byJob: map[int64]*script{}}
}

// handler returns the handler of a job's script. It is kept until it is destroyed, or until another
// version arrives.
func (s *scripts) handler(req *wire.RunRequest, lang language) (*handler, glueVersion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobID := int64(req.JobID)
	version := glueVersion{lang, int64(req.GlueUpdated)}
	if known := s.byJob[jobID]; known != nil && known.version == version {
		return known.handler, version
	}
	prefix := strconv.FormatInt(jobID, 10) + "_"
	path := filepath.Join(s.dir, prefix+strconv.FormatInt(version.updated, 10)+lang.suffix)
	source := []byte(req.GlueSource)
	h := &handler{name: lang.title, run: func(ctx context.Context, run *Run) error {
		// Not before: this run may be refused, and others may wait for the file of another version.
		if err := s.write(path, prefix, source); err != nil {
			return fmt.Errorf("write script: %w", err)
		}
		return runScript(ctx, run, lang, path)
	}}
	h.destroy = func() { s.forget(jobID, version) }
	s.byJob[jobID] = &script{version, h}
	return h, version
}

// forget frees the source of a version of a script.
func (s *scripts) forget(jobID int64, version glueVersion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.byJob[jobID]; known != nil && known.version == version {
		delete(s.byJob, jobID)
	}
}

// write writes source to path, and deletes the job's other files.
func (s *scripts) write(path, prefix string, source []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, prefix) && name != filepath.Base(path) {
			if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
				return err
			}
		}
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, source) {
		return nil
	}
	// Renamed into place, since an interpreter may be reading the file.
	if err := os.WriteFile(path+".new", source, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// scriptTerm is the time between the termination signal and the first kill. scriptKill limits how
// long killing is repeated.
const (
	scriptTerm = 5 * time.Second
	scriptKill = 200 * time.Millisecond
)

// runScript runs a script with parameter, shard index and shard total as its arguments. Its
// standard output and standard error go into the run's log as they arrive.
func runScript(ctx context.Context, run *Run, lang language, path string) error {
	out, in, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("open the script's output: %w", err)
	}
	defer out.Close()
	cmd := exec.Command(lang.command, path, run.Param, strconv.Itoa(run.ShardIndex), strconv.Itoa(run.ShardTotal))
	cmd.Stdout, cmd.Stderr = in, in // files, so Wait waits only for the script
	cmd.SysProcAttr = groupAttr()
	mark := scriptMark()
	cmd.Env = append(os.Environ(), mark)
	// Linux kills the script when the thread that started it ends, so the thread must live as long
	// as the script.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	_ = in.Close() // the script has its own
	if err != nil {
		run.log.mark("script does not start: %v", err)
		return errScriptExit(-1)
	}
	copied := make(chan struct{})
	go func() { // waited for below
		defer close(copied)
		_, _ = io.Copy(writerOnly{run.log}, out) // ends with out, or at its deadline
	}()
	gone := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(gone)
		endScript(cmd, mark)
	})
	err = cmd.Wait()
	if !unwatch() {
		<-gone
	}
	// Processes that the script has left in the background may hold the pipe open forever.
	_ = out.SetReadDeadline(time.Now().Add(scriptRest))
	<-copied
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return errScriptExit(exit.ExitCode())
	}
	run.log.mark("script: %v", err)
	return errScriptExit(-1)
}

// scriptRest is how long the output of an ended script is still read if a process that it started
// keeps it open.
const scriptRest = 500 * time.Millisecond

// writerOnly hides the methods of a runLog except Write.
type writerOnly struct{ io.Writer }

// scriptMark returns an environment variable that distinguishes the processes of one run of a
// script from all others.
func scriptMark() string { return "XXLWHEEL_SCRIPT_RUN=" + rand.Text() }

// endScript asks the script's processes to end, including those that it has started, and kills the
// remaining ones after scriptTerm. It returns when it finds none of them, or when it has tried to
// kill them for scriptKill. Both phases end by time, not after a number of polls, because one look
// at all processes may be slow.
func endScript(cmd *exec.Cmd, mark string) {
	const poll = 20 * time.Millisecond
	signalGroup(cmd, termSignal)
	signalMarked(mark, termSignal)
	for end := time.Now().Add(scriptTerm); time.Now().Before(end); time.Sleep(poll) {
		if !groupLives(cmd) && signalMarked(mark, nothing) == 0 {
			return
		}
	}
	// Kill again while any process is found, because processes may start meanwhile: at least three
	// times, and until scriptKill is over.
	end := time.Now().Add(scriptKill)
	for looks := 1; ; looks++ {
		signalGroup(cmd, os.Kill)
		if signalMarked(mark, os.Kill) == 0 || looks >= 3 && time.Now().After(end) {
			return
		}
		time.Sleep(poll)
	}
}

// errScriptExit is XXL-JOB's result of a script that did not exit with 0; -1 stands for a script
// that did not start or was killed.
type errScriptExit int

func (e errScriptExit) Error() string {
	return "script exit value(" + strconv.Itoa(int(e)) + ") is failed"
}
