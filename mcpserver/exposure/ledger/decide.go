package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/risk/fingerprint"
)

// Reviewed is a definition that a person was shown.
type Reviewed struct {
	Tool string
	Hash string // our fingerprint of what was shown
	// Despite accepts it although the scanner says that it reads like an attack.
	Despite bool
}

// Approve accepts definitions of one server, all or none. A definition that changed
// after it was shown is refused.
func (l *Ledger) Approve(ctx context.Context, server string, tools []Reviewed, by string) error {
	return l.change(ctx, server, func(s *sheet) error {
		for _, t := range tools {
			pin := s.Pins[t.Tool]
			if pin == nil {
				return fmt.Errorf("%s/%s: %w", server, t.Tool, ErrUnknown)
			}
			if err := pin.approve(t.Hash, t.Despite, by, l.now()); err != nil {
				return fmt.Errorf("%s/%s: %w", server, t.Tool, err)
			}
		}
		return nil
	})
}

// Revoke withdraws a tool, whatever its server sends. Only [Ledger.Forget] undoes it.
func (l *Ledger) Revoke(ctx context.Context, server, tool, reason, by string) error {
	return l.change(ctx, server, func(s *sheet) error {
		pin := s.Pins[tool]
		if pin == nil {
			return fmt.Errorf("%s/%s: %w", server, tool, ErrUnknown)
		}
		return pin.revoke(reason, by, l.now())
	})
}

// Forget drops the pin of one tool, or all of a server's if tool is empty, also when
// they are damaged. What its server sends is then seen for the first time.
func (l *Ledger) Forget(ctx context.Context, server, tool string) error {
	p := l.Pins()
	var gone []string
	for _, pin := range p.All(server) {
		if tool == "" || pin.Tool == tool {
			gone = append(gone, pin.Seen.Hash, pin.Accepted.Hash)
		}
	}
	if tool == "" {
		if _, err := l.sheets.Delete(ctx, server); err != nil {
			return err
		}
		defer l.tell()
	} else if err := l.change(ctx, server, func(s *sheet) error {
		if s.Pins[tool] == nil {
			return fmt.Errorf("%s/%s: %w", server, tool, ErrUnknown)
		}
		delete(s.Pins, tool)
		gone = slices.DeleteFunc(gone, func(hash string) bool { return s.hashes()[hash] })
		return nil
	}); err != nil {
		return err
	}
	for _, hash := range gone {
		if hash != "" {
			l.forms.Delete(ctx, formKey(server, hash)) // what stays behind only takes room
		}
	}
	return nil
}

func (l *Ledger) change(ctx context.Context, server string, f func(*sheet) error) error {
	err := l.sheets.Change(ctx, server, func(s *sheet, there bool) error {
		if !there {
			return fmt.Errorf("%s: %w", server, ErrUnknown)
		}
		return f(s)
	})
	if err == nil {
		l.tell()
	}
	return err
}

// Diff explains how what a server sends now differs from what was accepted. A tool that
// was never accepted has no difference: after is what there is to read.
func (l *Ledger) Diff(ctx context.Context, pin *Pin) (before, after []byte, d fingerprint.Difference, err error) {
	if after, err = l.Form(ctx, pin.Server, pin.Seen.Hash); err != nil {
		return nil, nil, d, err
	}
	if pin.Accepted.Hash == "" {
		return nil, after, d, nil
	}
	if before, err = l.Form(ctx, pin.Server, pin.Accepted.Hash); err != nil {
		return nil, after, d, err
	}
	d, err = fingerprint.Compare(before, after, fingerprint.Instructions(nil))
	return before, after, d, err
}

// cosmetic reports whether a definition differs from an accepted one by its looks only.
func (l *Ledger) cosmetic(ctx context.Context, server, accepted string, now []byte) bool {
	before, err := l.Form(ctx, server, accepted)
	if err != nil {
		return false
	}
	d, err := fingerprint.Compare(before, now, fingerprint.Instructions(nil))
	return err == nil && !d.Grew && !slices.ContainsFunc(d.Changes, func(c fingerprint.Change) bool { return c.Class != fingerprint.Cosmetic })
}
