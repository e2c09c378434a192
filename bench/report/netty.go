package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The jars of Debian's libnetty-java and of its dependencies.
const (
	nettyJar   = "/usr/share/java/netty-common.jar"
	jctoolsJar = "/usr/share/java/jctools-core.jar"
)

// jvmFlags make room for five million timeouts on the heap. Everything else has the JVM's defaults.
var jvmFlags = []string{"-Xms4g", "-Xmx4g"}

// netty is a JVM that runs measurements on request.
type netty struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	version string
}

// startNetty compiles and starts the harness, or returns the reason why it cannot.
func startNetty(ctx context.Context, dir string, short bool) (*netty, string) {
	for _, jar := range []string{nettyJar, jctoolsJar} {
		if _, err := os.Stat(jar); err != nil {
			return nil, "there is no " + jar + " (Debian: libnetty-java)"
		}
	}
	for _, tool := range []string{"javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, "there is no " + tool + " (a JDK, 17 or newer)"
		}
	}
	compile := exec.CommandContext(ctx, "javac", "-cp", nettyJar, "-d", dir, "../netty/NettyBench.java")
	if out, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Sprintf("javac: %v\n%s", err, out)
	}
	args := append(
		jvmFlags[:len(jvmFlags):len(jvmFlags)], "-cp", strings.Join([]string{nettyJar, jctoolsJar, dir}, ":"),
		"NettyBench",
	)
	if short {
		args = append(args, "-short")
	}
	n := &netty{cmd: exec.CommandContext(ctx, "java", args...)}
	n.cmd.Stderr = os.Stderr
	in, err := n.cmd.StdinPipe()
	if err != nil {
		return nil, err.Error()
	}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return nil, err.Error()
	}
	n.in, n.out = in, bufio.NewScanner(out)
	if err := n.cmd.Start(); err != nil {
		return nil, err.Error()
	}
	n.version = nettyVersion()
	return n, ""
}

func nettyVersion() string {
	name := "Netty of an unknown version"
	// The Debian package has the jar under a name with the version, too.
	if found, err := filepath.Glob(strings.TrimSuffix(nettyJar, ".jar") + "-[0-9]*.jar"); err == nil &&
		len(found) == 1 {
		name = strings.TrimSuffix(filepath.Base(found[0]), ".jar")
	}
	out, err := exec.Command("java", "-version").CombinedOutput()
	if err != nil {
		return name
	}
	java, _, _ := bytes.Cut(out, []byte("\n"))
	return name + ", " + string(java)
}

// run measures one case and returns its lines.
func (n *netty) run(name string) ([]byte, error) {
	if _, err := fmt.Fprintln(n.in, name); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for n.out.Scan() {
		if n.out.Text() == "done" {
			return b.Bytes(), nil
		}
		fmt.Fprintln(&b, n.out.Text())
	}
	return b.Bytes(), fmt.Errorf("the JVM ended: %v", n.out.Err())
}

// close ends the JVM and waits for it.
func (n *netty) close() {
	n.in.Close()
	_ = n.cmd.Wait() // after an interrupt it was killed
}
