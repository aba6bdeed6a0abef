package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// health is what the machine did besides the benchmark. Figures of a run in which others
// took processors, or a hypervisor did, are noise.
type health struct {
	LoadBefore string  `json:"load_before"` // of the last minute, in runnable threads
	LoadAfter  string  `json:"load_after"`
	Steal      float64 `json:"steal_percent"` // of all processor time, taken by the hypervisor
	Busy       float64 `json:"busy_percent"`  // of all processor time, by everybody
	MHz        string  `json:"mhz,omitempty"` // of the first processor at the end, where the kernel says
}

// ticks are the sums of /proc/stat since the machine started.
type ticks struct{ all, idle, steal float64 }

func readTicks() (t ticks) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t
	}
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	for n, field := range fields[min(1, len(fields)):min(9, len(fields))] { // the rest is contained in these
		value, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return ticks{}
		}
		t.all += value
		switch n {
		case 3, 4: // idle, and waiting for disks
			t.idle += value
		case 7:
			t.steal += value
		}
	}
	return t
}

// since describes the machine between two readings.
func (t ticks) since(before ticks) health {
	h := health{LoadAfter: firstWords("/proc/loadavg", 1), MHz: frequency()}
	if all := t.all - before.all; all > 0 {
		h.Steal = 100 * (t.steal - before.steal) / all
		h.Busy = 100 - 100*(t.idle-before.idle)/all
	}
	return h
}

func frequency() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "cpu MHz" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (h health) String() string {
	s := fmt.Sprintf("load %s at the start, %s at the end; processors %.0f %% busy, %.1f %% stolen by the hypervisor", h.LoadBefore, h.LoadAfter, h.Busy, h.Steal)
	if h.MHz != "" {
		s += "; " + h.MHz + " MHz at the end"
	}
	return s
}
