package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// approvals checks that questions and answers can be stored: in the cluster, or in
// the state folder.
func (d *doctor) approvals() (string, error) {
	if d.configured.State.NATS.URL != "" {
		s, err := store.Connect(d.ctx, service.Cluster(d.configured, nil))
		if err != nil {
			return "", err
		}
		s.Close()
		return "the cluster answers", nil
	}
	dir := d.place.Store()
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return "made when a server starts", nil
	}
	// A killed server leaves a note that says where it was; only an answer says that
	// there is one.
	if peer, err := local.Find(d.place.State); err == nil {
		if _, err := peer.Status(d.ctx); err == nil {
			return "in the hands of the server that runs", nil
		} else if !errors.Is(err, local.ErrNoOwner) {
			return "", err
		}
	}
	// Opening repairs and creates files, so a copy is opened.
	scratch, err := os.MkdirTemp("", "glovebox-doctor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	copied := filepath.Join(scratch, "store")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return "", err
	}
	s, err := store.Open(d.ctx, copied, nil)
	if err == nil {
		defer s.Close()
		_, err = approve.OpenDesk(d.ctx, s, d.configured.Approvals, time.Now)
	}
	if of := (*store.Error)(nil); errors.As(err, &of) {
		of.Place = dir
	}
	if err != nil {
		return "", err
	}
	return dir + ", whole", nil
}

// issuer checks that the authorization server says where its keys are.
func (d *doctor) issuer() (string, error) {
	guard, err := service.Guard(d.configured, "http://"+d.configured.Listen+"/mcp")
	if err != nil {
		return "", err
	}
	if guard == nil {
		return "none; clients send the bearer token", nil
	}
	if err := guard.Reach(d.ctx); err != nil {
		return "", fmt.Errorf("no access token can be checked: %w", err)
	}
	return d.configured.OAuth.Issuer + " answers", nil
}

// console checks that people can sign in to it at the issuer, if there is one, and that
// somebody gets in.
func (d *doctor) console() (string, error) {
	signIn, err := service.SigningIn(d.configured)
	if err != nil {
		return "", err
	}
	if signIn == nil {
		return "people are let in by glovebox console", nil
	}
	if err := service.ConsoleWanted(d.configured); err != nil {
		return "", err
	}
	if !signIn.Maps() {
		return "", fmt.Errorf("no value of the claim %s gives a role, so nobody who signs in at %s gets in; set console.sign_in.look, answer or manage", signIn.Claim, signIn.Party.Issuer())
	}
	if err := signIn.Party.Reach(d.ctx); err != nil {
		return "", fmt.Errorf("nobody can sign in at %s: %w; glovebox console still lets people in", signIn.Party.Issuer(), err)
	}
	return signIn.Party.Issuer() + " answers; the claim " + signIn.Claim + " decides who is let in", nil
}

// receiver checks that something listens at the addresses that spans, metrics and log
// lines are sent to.
func (d *doctor) receiver() (string, error) {
	receivers := d.configured.Telemetry.Receivers()
	if len(receivers) == 0 {
		return "none; no spans, metrics or log lines are sent", nil
	}
	var reached []string
	for _, receiver := range receivers {
		u, err := url.Parse(receiver)
		if err != nil {
			return "", errors.New("the address of the receiver cannot be read")
		}
		at := u.Scheme + "://" + u.Host
		if slices.Contains(reached, at) {
			continue
		}
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		ctx, cancel := context.WithTimeout(d.ctx, 5*time.Second)
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
		cancel()
		if err != nil {
			return "", fmt.Errorf("%w; what is to be sent to %s is lost: start the receiver, correct telemetry.endpoint or OTEL_EXPORTER_OTLP_ENDPOINT, or send nothing with OTEL_SDK_DISABLED=true", err, at)
		}
		conn.Close()
		reached = append(reached, at)
	}
	return strings.Join(reached, " and ") + " can be reached", nil
}

// memory checks that the limits fit into the available memory.
func (d *doctor) memory() (string, error) {
	_, plan, source := service.Fit(d.configured)
	if source == "" {
		return "how much there is cannot be found out; see limits.parallel", nil
	}
	if err := plan.Check(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d MiB (%s): %s of %d MiB, %d MiB for messages", plan.Total>>20, source, counted(plan.Parallel, "call"), plan.Memory>>20, plan.Messages>>20), nil
}
