// Package systemd speaks with the service manager that started this process, in the
// protocol of systemd, which others speak too: it takes over the socket that the manager
// has opened, and says how the service is. Without a manager it does nothing.
//
//	Listener  the socket that was handed over
//	Manager   who is told
//
// It knows nothing of what is served.
package systemd

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// Listener returns the TCP socket that the manager has opened for this process, nil if
// there is none. Processes started later do not see it.
func Listener() (net.Listener, error) {
	files := activation.Files(true)
	switch len(files) {
	case 0:
		return nil, nil
	case 1:
	default:
		names := make([]string, len(files))
		for i, f := range files {
			names[i] = f.Name()
			f.Close()
		}
		return nil, fmt.Errorf("the service manager hands over %d sockets (%s), and one is served; leave a single ListenStream= in the socket unit", len(files), strings.Join(names, ", "))
	}
	defer files[0].Close() // a listener has a descriptor of its own
	listener, err := net.FileListener(files[0])
	if err != nil {
		return nil, fmt.Errorf("%s, the socket of the service manager: %w; it must be a ListenStream= with an address and a port", files[0].Name(), err)
	}
	if _, ok := listener.(*net.TCPListener); !ok {
		listener.Close()
		return nil, fmt.Errorf("%s, the socket of the service manager, is %s %s; it must be a ListenStream= with an address and a port, such as 127.0.0.1:8282", files[0].Name(), listener.Addr().Network(), listener.Addr())
	}
	return listener, nil
}

// Manager is whoever started this process. Failed receives why it could not be told
// something; nil discards that.
type Manager struct{ Failed func(error) }

// Ready says that clients are admitted, or that the configuration was read again.
func (m Manager) Ready(status string) { m.tell(daemon.SdNotifyReady, "STATUS="+status) }

// Status says in one line what the service does.
func (m Manager) Status(status string) { m.tell("STATUS=" + status) }

// Stopping says that calls end, and that no new ones begin.
func (m Manager) Stopping() {
	m.tell(daemon.SdNotifyStopping, "STATUS=stopping: calls that run are waited for")
}

// untaken is how long a signal to read the configuration again may wait before the manager
// hears that nobody reads it. It gives a manager a reload's end before its own time is up,
// which is 90 s in systemd.
const untaken = 30 * time.Second

// Reloads passes signals on, and tells the manager of each first. [Manager.Ready] ends what
// it announces.
func (m Manager) Reloads(ctx context.Context, signals <-chan os.Signal) <-chan os.Signal {
	passed := make(chan os.Signal)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-signals:
				m.tell(append([]string{daemon.SdNotifyReloading}, now()...)...)
				select {
				case passed <- s:
				case <-ctx.Done():
					return
				case <-time.After(untaken):
					m.Ready("the configuration is not read again: nobody watches it")
				}
			}
		}
	}()
	return passed
}

// Watch tells a manager that wants it, at twice the rate that it wants, that the process is
// alive, until ctx ends. Each time it asks alive first, which must return: what hangs there
// hangs for the manager too.
func (m Manager) Watch(ctx context.Context, alive func()) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		m.fail(err)
	}
	if every <= 0 {
		return
	}
	tick := time.NewTicker(every / 2)
	defer tick.Stop()
	for {
		alive()
		m.tell(daemon.SdNotifyWatchdog)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tell sends assignments, each on a line of its own, in one datagram.
func (m Manager) tell(assignments ...string) {
	for i, a := range assignments {
		assignments[i] = strings.Join(strings.Fields(a), " ")
	}
	if _, err := daemon.SdNotify(false, strings.Join(assignments, "\n")); err != nil {
		m.fail(err)
	}
}

func (m Manager) fail(err error) {
	if m.Failed != nil {
		m.Failed(fmt.Errorf("the service manager hears nothing: %w", err))
	}
}
