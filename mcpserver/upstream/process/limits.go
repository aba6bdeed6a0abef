//go:build linux || darwin

package process

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// limitsOf says which limits hold, and returns what sets them. That comes last: with a small
// memory limit our own runtime could not go on.
func limitsOf(o start) ([]Measure, func() error) {
	l := o.Limits
	set := []struct {
		resource int
		most     uint64
	}{
		{unix.RLIMIT_NOFILE, uint64(l.Files)},
		{unix.RLIMIT_CORE, 0}, // a memory image of a server holds its secrets
		{unix.RLIMIT_DATA, uint64(l.Memory)},
	}
	measures := []Measure{
		memoryMeasure(),
		{Name: OpenFiles, How: "RLIMIT_NOFILE"},
		treeMeasure(Processes),
	}
	if l.CPU > 0 {
		set = append(set, struct {
			resource int
			most     uint64
		}{unix.RLIMIT_CPU, uint64(l.CPU.Seconds())})
		measures = append(measures, Measure{Name: CPU, How: "RLIMIT_CPU"})
	}
	// The kernel counts the processes of a user, which are this server's alone in a user
	// namespace; it does not count those of root.
	if o.Own.User && os.Getuid() != 0 {
		set = append(set, struct {
			resource int
			most     uint64
		}{unix.RLIMIT_NPROC, uint64(l.Processes)})
		measures[2].How = "RLIMIT_NPROC"
	}
	return measures, func() error {
		for _, s := range set {
			var now unix.Rlimit
			if err := unix.Getrlimit(s.resource, &now); err != nil {
				return err
			}
			most := min(s.most, uint64(now.Max))
			if err := unix.Setrlimit(s.resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
				return fmt.Errorf("%d of resource %d: %w", most, s.resource, err)
			}
		}
		return nil
	}
}
