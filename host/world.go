package host

import (
	"crypto/x509"
	"io"
	"time"

	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/netguard"
)

// World is what an operator grants the tools of one caller. The zero World grants
// nothing: a posture that asks for more than its World holds is not minted.
type World struct {
	// Resolve and Dial are the network. The operator cannot disable the check of every
	// address between them.
	Resolve netguard.Resolve
	Dial    netguard.Dial
	// RootCAs are the certificate authorities; nil means the system's.
	RootCAs *x509.CertPool
	// DeniedHosts are refused in every network mode, patterns as in a posture.
	DeniedHosts []string
	// AllowOpen is the ceiling on the network mode: false refuses tools that ask
	// for open, which has no address check.
	AllowOpen bool

	// Workspace is the caller's own directory, the one place to write.
	Workspace *files.Workspace
	// ReadRoots are further directories that tools with fileRead may read.
	ReadRoots []*files.ReadRoot

	// Random is where crypto takes its bytes from; nil means the system's. It may
	// be read from several goroutines.
	Random io.Reader

	// Functions are host calls of the embedding program's own. A tool has those whose
	// gate its posture opens. Package runtime puts those of its Config here.
	Functions *Functions

	Budget Budget
}

// Budget bounds what one call of a tool may spend on host calls. A zero field
// means its default.
type Budget struct {
	Calls int           // default 100,000: five statements of the statement limit each
	Bytes int64         // both ways together; default 256 MiB, 25 responses of the largest size
	Time  time.Duration // inside host calls, overlapping ones counted each; default 5 minutes
}

func (b Budget) withDefaults() Budget {
	if b.Calls <= 0 {
		b.Calls = 100_000
	}
	if b.Bytes <= 0 {
		b.Bytes = 256 << 20
	}
	if b.Time <= 0 {
		b.Time = 5 * time.Minute
	}
	return b
}

// Error is a refusal or failure that the guest can catch; see package hostcall.
type Error = hostcall.Error
