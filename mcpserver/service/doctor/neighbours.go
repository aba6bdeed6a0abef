package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/editors"
	"github.com/glovebox-run/glovebox/mcpserver/local"
)

func (d *doctor) token() (string, error) {
	_, err := mcpserver.ReadToken(d.place.Token(d.configured))
	if errors.Is(err, os.ErrNotExist) && d.configured.Token.File == "" {
		return "will be made at the first start", nil
	}
	return "there, and nobody else may read it", err
}

// probe asks whether a server of ours lives. It sends no secret and believes nothing but
// that, so it takes any certificate: that of a name does not fit the address.
func probe(most time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	transport.DisableKeepAlives = true
	return &http.Client{Timeout: most, Transport: transport}
}

func (d *doctor) address() (string, error) {
	listener, err := net.Listen("tcp", d.configured.Listen)
	if err == nil {
		listener.Close()
		return d.configured.Listen + " is free", nil
	}
	scheme := "http://"
	if d.configured.TLS.On() {
		scheme = "https://"
	}
	client := probe(2 * time.Second)
	response, healthErr := client.Get(scheme + d.configured.Listen + "/healthz")
	if healthErr != nil || response.StatusCode != http.StatusOK {
		if !errors.Is(err, syscall.EADDRINUSE) {
			return "", fmt.Errorf("%w; choose another one with --listen", err)
		}
		return "", fmt.Errorf("%w; another program has it, so choose one with --listen", err)
	}
	response.Body.Close()
	return "a server answers at " + d.configured.Listen, nil
}

// clients checks that the programs clients would start exist.
func (d *doctor) clients() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	var connected []string
	for _, c := range editors.All() {
		text, _, err := editors.Read(c.File(home, config), "glovebox")
		if err != nil {
			return "", err
		}
		change, err := c.Disconnect(text, nil, "glovebox")
		if err != nil {
			return "", err
		}
		if change.Old == "" {
			continue
		}
		program := c.Program(change.Old)
		if _, err := os.Stat(program); err != nil {
			return "", fmt.Errorf("%s starts %s, which is gone; run glovebox connect %s", c.Name, program, c.ID)
		}
		connected = append(connected, c.ID)
	}
	if len(connected) == 0 {
		return "none connected; see glovebox connect --help", nil
	}
	return strings.Join(connected, ", "), nil
}

// server checks that the process that owns the state folder, if any, answers and works.
func (d *doctor) server() (string, error) {
	s, err := Health(d.ctx, d.place.State)
	if errors.Is(err, local.ErrNoOwner) {
		return "none runs; the first to start owns the state folder", nil
	}
	if err != nil {
		return "", err
	}
	where := s.Address
	if where == "" {
		where = "standard streams"
	}
	return fmt.Sprintf("process %d serves %s at %s, and %s through it", s.PID, counted(s.Tools, "tool"), where, counted(len(s.Clients), "client")), nil
}

// Health asks the server of a state folder whether it works. The error says why not, and is
// [local.ErrNoOwner] if there is none.
func Health(ctx context.Context, state string) (local.Status, error) {
	peer, err := local.Find(state)
	if err != nil {
		return local.Status{}, err
	}
	s, err := peer.Status(ctx)
	switch {
	case err != nil:
		return s, err
	case s.Trouble != "":
		return s, fmt.Errorf("process %d refuses calls: %s", s.PID, s.Trouble)
	case s.Draining:
		return s, fmt.Errorf("process %d is stopping", s.PID)
	}
	return s, ready(ctx, s)
}

// ready asks a running server over its endpoint, which may hang when the socket does not.
func ready(ctx context.Context, s local.Status) error {
	base, isHTTP := strings.CutSuffix(s.Address, "/mcp")
	if !isHTTP {
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
	if err != nil {
		return err
	}
	client := probe(readyTime)
	response, err := client.Do(request)
	if unknown := (*net.DNSError)(nil); errors.As(err, &unknown) {
		// The name that clients use may be unknown here, as in a container.
		request.URL.Host = net.JoinHostPort("127.0.0.1", request.URL.Port())
		response, err = client.Do(request)
	}
	if err != nil {
		return fmt.Errorf("process %d does not say whether it is ready: %w", s.PID, err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("process %d is not ready; its standard error says why", s.PID)
	}
	return nil
}

// readyTime is how long a server may take to answer: it asks its store, which has 5 s.
const readyTime = 10 * time.Second

func (d *doctor) socket() (string, error) {
	socket, err := local.Inspect(d.place.State)
	if err != nil {
		return "", err
	}
	if socket == "" {
		return "made when a server starts", nil
	}
	return socket + ", and nobody else may reach it", nil
}
