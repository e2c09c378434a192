package executor

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// Options configures an [Executor]. AppName, Admins and AccessToken are what most executors set.
type Options struct {
	// Admins are the base URLs of the schedulers, for example http://10.0.0.5:8080/xxl-job-admin;
	// "api/registry" and the like are appended. An element may also be a list separated by commas.
	// One admin that accepts a call is enough; the others are called only if it does not. If Admins
	// is empty and there is no Queue, the executor does not register and sends no results.
	Admins []string

	// AppName is the app name of the executor's group, 4 to 64 characters. It may be empty without
	// Admins and Queue.
	AppName string

	// AccessToken is the token that schedulers must send, and that is sent to them. If it is empty,
	// every caller that reaches the port may run every handler, so Listen must be an address that
	// other machines cannot reach.
	AccessToken string

	// AllowNoToken allows an empty AccessToken although other machines can reach the port, and
	// AllowDefaultToken allows XXL-JOB's well-known default token: for networks that only
	// schedulers can enter. With NoListen nothing is checked, since the server is the
	// application's.
	AllowNoToken, AllowDefaultToken bool

	// RequireAppName also requires the header XXL-JOB-APPNAME on every request, as executors of the
	// unreleased 3.5 do. Without it only /trigger requires the header, and only if AccessToken is
	// set. It needs AccessToken and AppName.
	RequireAppName bool

	// AllowHosts are additional host names, without ports, under which schedulers call this
	// executor, for example a proxy's. Without AccessToken, the Host header of a request must be
	// localhost, a loopback address, the host of Listen or Address, or one of these, so that a web
	// page cannot pass off its own name as this machine's. If Listen stands for all interfaces, any
	// IP address is accepted too. With AccessToken the header is not checked.
	AllowHosts []string
	// Listen is the host:port to listen on. Port 0 picks a free one; empty means ":9999". NoListen
	// is for an application that serves the executor as an [http.Handler] in its own server. With
	// Admins it needs Address, which the executor cannot find out then.
	Listen   string
	NoListen bool

	// TLSCert and TLSKey are files with the certificate chain and its key, in PEM. They are read
	// again when they change. With NoListen they must be valid all the same, and are not used.
	// Empty means that the executor serves http.
	TLSCert, TLSKey string
	// TLSCA is a file of certificate authorities, in PEM, to trust in calls to admins at https URLs
	// and at the broker of Queue, in addition to the system's; empty means only the system's. It
	// cannot be set together with HTTPClient.
	TLSCA string
	// Address is the URL to register, exactly as schedulers should see it. Empty means
	// http://host:port/ (https:// with TLS) from Listen, where an unspecified host is replaced by
	// the address of the first suitable network interface.
	Address string

	// Queue is the queue from which runs are taken, and over which the executor registers and sends
	// its results. With it the executor needs no open port: Admins, Listen, NoListen, Address and
	// TLSCert must be empty, and AppName must be set. queue.At returns a queue; its namespace must
	// be that of the schedulers. Nil means none.
	Queue Broker
	// QueuePlaces limits the runs that were taken from Queue and have not ended; 0 means 256.
	QueuePlaces int

	// DataDir holds the journal and the run logs; empty means "executor-logs". It is created if it
	// does not exist.
	DataDir string

	// Scripts lets jobs carry shell, Python, Node, PHP and PowerShell source, which then runs with
	// the rights of this process. It is off by default, and needs AccessToken: the bearer of the
	// token can run anything here.
	Scripts bool

	// LogRetentionDays is how many days run logs are kept: at least 3; 0 means 30; negative keeps
	// them forever.
	LogRetentionDays int

	// MaxRunLog is how many bytes of log lines one run may write; further lines are dropped, with a
	// note. 0 means 64 MiB.
	MaxRunLog int64

	// MaxQueued is how many accepted runs of all jobs may wait for their turn; further ones are
	// refused. 0 means 100,000.
	MaxQueued int

	// BeatInterval is the time between two registrations; 0 means 30 s, which is what schedulers
	// expect. After a failure the next attempt comes sooner.
	BeatInterval time.Duration

	// AdminTimeout limits one call to one admin; 0 means 3 s.
	AdminTimeout time.Duration

	// IdleAfter is how long a job may be without a run before its handler is destroyed; the next
	// run initialises it again. 0 means 93 s, as long as XXL-JOB's 31 empty polls of 3 s.
	IdleAfter time.Duration

	// StopGrace is how long running handlers may continue after Run's context has ended, before
	// their own contexts are cancelled. 0 means 10 s; negative means not at all.
	StopGrace time.Duration

	// AbandonAfter is how long a cancelled handler may take to return. After that its run is
	// reported as cancelled, and the job's next run starts although the handler has not returned. 0
	// means 30 s; negative means to wait for it without limit, also during a stop.
	AbandonAfter time.Duration

	// SeenFor is the shortest time for which log ids are remembered, so that one that is sent again
	// is refused. They are kept in blocks of 512 consecutive ids; once 65,536 newer blocks are in
	// use, older ids may be forgotten earlier. That is after 33 million runs if this executor gets
	// every run of its schedulers, and after 65,000 if it gets few of them. 0 means 24 h.
	SeenFor time.Duration

	// NoBatches makes schedulers send each run in a request of its own, as XXL-JOB does. Otherwise
	// schedulers of this project send runs that are due together in batches of up to 256, if they
	// come faster than they are accepted.
	NoBatches bool
	// NoSync leaves flushing the journal to the operating system: the guarantees then hold if the
	// process dies, but not if the machine does.
	NoSync bool

	// Trace is called before each run's handler, on its goroutine, and returns the handler's
	// context, which must be derived from ctx. end is called once with the result of the run, as it
	// is reported. A panic of either is logged and does not change the result; after a panic of
	// Trace the run is not traced. Package telemetry has such a function. Nil traces nothing.
	Trace func(ctx context.Context, run *Run) (_ context.Context, end func(code int, msg string))

	// Logger gets messages about the executor as a whole; nil means [slog.Default].
	Logger *slog.Logger

	// HTTPClient calls the admins; nil means a client of the executor's own. Its Timeout limits
	// each call, too, if it is shorter than AdminTimeout. Redirects are not followed unless its
	// CheckRedirect follows them: they would carry the token to another host.
	HTTPClient *http.Client

	serverTLS *tls.Config // nil means http
	clientTLS *tls.Config // nil trusts the system's authorities
}

// withDefaults returns a checked copy of o.
func (o Options) withDefaults() (Options, error) {
	if err := o.checkAdmins(); err != nil {
		return o, err
	}
	if err := o.checkQueue(); err != nil {
		return o, err
	}
	n := utf8.RuneCountInString(o.AppName)
	if (len(o.Admins) > 0 || n > 0) && (n < 4 || n > 64 || strings.TrimSpace(o.AppName) != o.AppName) {
		return o, invalid("AppName", o.AppName, "must have 4 to 64 characters and no space around them")
	}
	if o.RequireAppName && (strings.TrimSpace(o.AccessToken) == "" || o.AppName == "") {
		return o, invalid("RequireAppName", true, "needs AccessToken and AppName")
	}
	if strings.TrimSpace(o.AccessToken) == "" {
		o.AccessToken = "" // XXL-JOB: a blank token is none
	}
	if o.Scripts && o.AccessToken == "" {
		return o, invalid("Scripts", true, "needs AccessToken")
	}
	if o.Address != "" && (!isURL(o.Address) || len(o.Address) > 255) {
		return o, invalid(
			"Address", o.Address, "must be an http or https URL of at most 255 characters without a comma",
		)
	}
	if o.NoListen && o.Address == "" && len(o.Admins) > 0 {
		return o, invalid("Address", o.Address, "must be set with NoListen")
	}
	setZero(&o.Listen, ":9999")
	if _, port, err := net.SplitHostPort(o.Listen); err != nil {
		return o, invalid("Listen", o.Listen, "must be host:port")
	} else if _, err := net.LookupPort("tcp", port); err != nil {
		return o, invalid("Listen", o.Listen, "must have a port from 0 to 65535")
	}
	setZero(&o.DataDir, "executor-logs")
	if o.LogRetentionDays == 1 || o.LogRetentionDays == 2 {
		return o, invalid(
			"LogRetentionDays", o.LogRetentionDays, "must be 3 or more, 0 for 30, or negative for no cleaning",
		)
	}
	setZero(&o.LogRetentionDays, 30)

	if o.MaxRunLog < 0 {
		return o, invalid("MaxRunLog", o.MaxRunLog, "must not be negative")
	}
	setZero(&o.MaxRunLog, 64<<20)
	if o.MaxQueued < 0 {
		return o, invalid("MaxQueued", o.MaxQueued, "must not be negative")
	}
	setZero(&o.MaxQueued, 100_000)
	for _, d := range []struct {
		name  string
		field *time.Duration
		def   time.Duration
	}{
		{"BeatInterval", &o.BeatInterval, 30 * time.Second},
		{"AdminTimeout", &o.AdminTimeout, 3 * time.Second},
		{"IdleAfter", &o.IdleAfter, 93 * time.Second},
		{"SeenFor", &o.SeenFor, 24 * time.Hour},
	} {
		if *d.field < 0 {
			return o, invalid(d.name, *d.field, "must not be negative")
		}
		setZero(d.field, d.def)
	}
	setZero(&o.StopGrace, 10*time.Second)
	setZero(&o.AbandonAfter, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, o.readTLS()
}

// readTLS sets the TLS configurations and the client that uses one.
func (o *Options) readTLS() error {
	var err error
	if o.serverTLS, err = access.ServerTLS(o.TLSCert, o.TLSKey); err != nil {
		return fmt.Errorf("executor: Options.TLSCert and TLSKey: %w", err)
	}
	trust, err := access.ClientTLS(o.TLSCA)
	if err != nil {
		return fmt.Errorf("executor: Options.TLSCA: %w", err)
	}
	o.clientTLS = trust
	if trust != nil {
		if o.HTTPClient != nil {
			return invalid("TLSCA", o.TLSCA, "cannot be set with HTTPClient")
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = trust
		o.HTTPClient = &http.Client{Transport: transport}
	}
	o.HTTPClient = withoutRedirects(o.HTTPClient)
	return nil
}

// withoutRedirects returns a copy of client, or a new client for nil, that does not follow
// redirects, unless client has its own rule. A followed redirect would turn a call into a GET
// without its body, and carry its token to any host named in the answer.
func withoutRedirects(client *http.Client) *http.Client {
	var c http.Client
	if client != nil {
		c = *client
	}
	if c.CheckRedirect == nil {
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &c
}

// checkListener refuses a port that other machines can reach without a secret: they could run every
// handler.
func (o *Options) checkListener() error {
	if o.NoListen || o.AccessToken == "" && o.AllowNoToken {
		return nil
	}
	err := access.CheckListener(
		o.Listen, o.AllowDefaultToken, access.Secret{Setting: "Options.AccessToken", Token: o.AccessToken},
	)
	if err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	return nil
}

// checkAdmins splits the lists in Admins into single addresses.
func (o *Options) checkAdmins() error {
	var admins []string
	for _, list := range o.Admins {
		for admin := range strings.SplitSeq(list, ",") {
			admin = strings.TrimSpace(admin)
			if admin == "" {
				continue
			}
			if !isURL(admin) {
				return invalid("Admins", access.Shown(admin), "must be http or https URLs")
			}
			if !strings.HasSuffix(admin, "/") {
				admin += "/"
			}
			admins = append(admins, admin)
		}
	}
	o.Admins = admins
	return nil
}

// hasSchedulers reports whether there are schedulers to register with and to send results to.
func (o *Options) hasSchedulers() bool { return len(o.Admins) > 0 || o.Queue != nil }

// isURL reports whether text is an http or https URL with a host that fits into the address list of
// a group, which is separated by commas.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.RawQuery == "" && u.Fragment == "" && !strings.ContainsAny(text, ", \t\r\n")
}

// hostNames returns the names under which schedulers may call, in addition to that of Listen.
func (o *Options) hostNames() []string {
	names := slices.Clone(o.AllowHosts)
	if u, err := url.Parse(o.Address); err == nil && u.Host != "" {
		names = append(names, u.Host)
	}
	return names
}

func setZero[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// An OptionError is the error of [New] about one option that makes no sense by itself.
type OptionError struct {
	Field string // of [Options]
	Says  string // what its value is, and the rule
}

func (e *OptionError) Error() string { return "executor: Options." + e.Field + " " + e.Says }

func invalid(field string, value any, rule string) error {
	if s, ok := value.(string); ok {
		value = fmt.Sprintf("%q", s)
	}
	return &OptionError{field, fmt.Sprintf("is %v, %s", value, rule)}
}
