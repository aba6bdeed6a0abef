package console

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/events"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/numbers"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// Options are what a console shows and changes. All fields are required unless they say
// otherwise. Functions are called for each page and must be safe for concurrent use.
type Options struct {
	// Version is the program's, Address where clients reach the server; empty over
	// standard streams.
	Version, Address string
	Desk             *approve.Desk
	Gateway          *gateway.Gateway
	// Sessions returns what principals have met; nil while nothing is decided by it.
	Sessions func() *labels.Sessions
	// Record is where acts are written, and Chain the file that it and calls are read
	// from.
	Record *audit.Log
	Chain  string
	// Kept returns the checkpoints of the record that were kept elsewhere, by the name of
	// where; may be nil.
	Kept func(context.Context) (map[string][]byte, error)
	// Tools returns the tools that clients are offered, in order of their names.
	Tools func() []governed.Tool
	// Specs returns the specs of the library, also those that are not offered.
	Specs func() []Spec
	// Revisions returns the texts that a spec of the operator had, oldest first.
	Revisions func(name string) ([]library.Revision, error)
	// Definition returns an offered tool as clients get it.
	Definition func(governed.Tool) (json.RawMessage, error)
	// Call calls an offered tool for a person.
	Call func(context.Context, mcpserver.Trial) mcpserver.Tried
	// Write is what the editor of specs works with.
	Write Writing
	// Metrics reads the server's metrics.
	Metrics func() ([]*dto.MetricFamily, error)
	// Trouble returns why nothing can be recorded, or nil.
	Trouble func() error
	// Examine checks what the server needs; may be nil.
	Examine func(context.Context) iter.Seq[Check]
	// Hosts are names under which browsers may reach the console, besides localhost and
	// addresses. URL is where it is reached through a proxy, such as
	// https://console.example; may be empty.
	Hosts []string
	URL   string
	// TLS is for a listener that other machines reach; nil for plain HTTP. URL is then
	// required.
	TLS *tls.Config
	// SignIn lets people in who sign in at an issuer; nil for nobody.
	SignIn *SignIn
	// Home and Config are the folders of the person whose clients' servers can be
	// imported: the home folder and the one for configurations; empty for nobody's.
	Home, Config string
	Now          func() time.Time
	Log          *slog.Logger
	// Patience is how long a page looks for what it shows, where that is longer than it
	// looks by itself (3 s in the store, some 50 ms in the record); for tests.
	Patience time.Duration
}

// atMost is how long a page looks for something.
func (c *Console) atMost(d time.Duration) time.Duration { return max(d, c.options.Patience) }

// Check is the result of one check of the server's surroundings.
type Check struct {
	Code, What string
	OK         bool
	Found      string
}

// Console is the operator's console of one server. It is safe for concurrent use.
type Console struct {
	options Options
	base    string // the beginning of every address: a slash, a secret and a slash
	people  *session.Sessions
	tickets *tickets
	// exchanges holds one for each sign-in that waits for the issuer.
	exchanges chan struct{}
	hub       events.Hub
	recent    *numbers.Recent
	checks    checks
	before    lastApproved
	record    *audit.Searcher
	chain     *chain
	refused   refusals
	scans     scans
	trials    trials
	desks     desks
	logins    logins
	rated     func() ([]catalogRow, error) // the known servers with their levels
	views     map[string]*template.Template
	style     string // the hash of the assets
	working   context.Context
	stop      context.CancelFunc
	followed  sync.WaitGroup

	mu     sync.Mutex
	server *http.Server
	at     string // the address that it listens on
}

// New makes a console. It listens nowhere yet.
func New(o Options) (*Console, error) {
	c := &Console{options: o, base: "/" + strings.ToLower(rand.Text()[:13]) + "/", people: session.New(o.Now), tickets: newTickets(), exchanges: make(chan struct{}, maxExchanges), recent: numbers.New(o.Metrics, o.Now)}
	c.working, c.stop = context.WithCancel(context.Background())
	c.record = audit.NewSearcher(o.Chain)
	c.chain = newChain(c)
	c.rated = sync.OnceValues(c.rate)
	var err error
	c.views, c.style, err = c.parse()
	return c, err
}

// ErrTaken means that another program listens on the address.
var ErrTaken = errors.New("the address is taken")

const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 16 << 10
)

// Listen opens the listener and serves in the background until Close. It does nothing if
// the console listens already. With orElsewhere, a port that is taken is replaced by a
// free one.
func (c *Console) Listen(address string, orElsewhere bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil && orElsewhere {
		if host, _, bad := net.SplitHostPort(address); bad == nil {
			listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
		}
	}
	if err != nil {
		return fmt.Errorf("the console: %w", err)
	}
	c.server = &http.Server{
		Handler: c, ReadHeaderTimeout: headerTime, ReadTimeout: time.Minute, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(c.options.Log.Handler(), slog.LevelWarn),
	}
	c.at = listener.Addr().String()
	if c.options.TLS != nil {
		listener = tls.NewListener(listener, c.options.TLS)
	}
	go c.server.Serve(listener)
	c.followed.Go(c.followDesk)
	c.followed.Go(c.followNumbers)
	c.followed.Go(c.warm)
	return nil
}

// Link returns the address that signs a person in, once and within a minute.
func (c *Console) Link(name, role string) (string, error) {
	is, err := session.ParseRole(role)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	at := c.at
	c.mu.Unlock()
	if at == "" {
		return "", errors.New("the console does not listen")
	}
	return c.origin() + c.base + "enter?link=" + c.people.Link(session.Person{Name: name, Role: is}), nil
}

// Close ends all sessions and stops listening.
func (c *Console) Close() {
	c.stop()
	c.people.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		_ = c.server.Close() // whoever is in the middle of a page gets none
	}
	c.followed.Wait()
}

// Topics of events.
const (
	topicInbox = "inbox" // a question came or changed
	topicTick  = "tick"  // some time has passed
	topicTools = "tools" // more is known of the tools
)

// followAgain is how long a lost watch of the questions rests before the next try.
const followAgain = 2 * time.Second

// followDesk tells browsers of questions.
func (c *Console) followDesk() {
	for c.working.Err() == nil {
		changes, err := c.options.Desk.Changes(c.working)
		if err == nil {
			for range changes {
				c.hub.Tell(topicInbox)
			}
		}
		select {
		case <-c.working.Done():
		case <-time.After(followAgain):
		}
	}
}

// tickEvery is how often pages with numbers are fetched again.
const tickEvery = 5 * time.Second

// followNumbers reads the metrics now and then, and has pages with numbers fetched again.
func (c *Console) followNumbers() {
	tick, read := time.NewTicker(tickEvery), time.NewTicker(numbers.Every)
	defer tick.Stop()
	defer read.Stop()
	for {
		select {
		case <-c.working.Done():
			return
		case <-tick.C:
			c.warm()
			c.hub.Tell(topicTick)
		case <-read.C:
			if err := c.recent.Take(); err != nil {
				c.options.Log.Warn("console.numbers", "cause", err)
			}
		}
	}
}

// warm reads what the first page would otherwise wait for.
func (c *Console) warm() {
	if _, err := c.refused.now(c); err != nil {
		c.options.Log.Warn("console.record", "cause", err)
	}
	c.chain.look(c)
}
