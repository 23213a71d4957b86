package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// meter takes the figures of this process, one after the other, and prints them per object.
type meter struct {
	objects     float64
	start       moment
	last        moment
	memoryStart uint64
}

// moment is the processor time and the allocations up to it.
type moment struct {
	wall        time.Time
	cpu         time.Duration
	allocations uint64
}

func startMeter(objects int) (*meter, error) {
	debug.FreeOSMemory()
	if err := forgetPeak(); err != nil {
		return nil, err
	}
	memory, err := statusBytes("VmRSS:")
	start := now()
	return &meter{objects: float64(objects), start: start, last: start, memoryStart: memory}, err
}

// restart: what came before is not measured.
func (m *meter) restart() { m.last = now() }

// spent prints what was used since the last reading.
func (m *meter) spent(name string, at moment) {
	m.note(name, float64((at.cpu-m.last.cpu).Nanoseconds())/1e3)
	m.note(name+"-allocations", float64(at.allocations-m.last.allocations))
	m.last = at
}

// spentTogether prints what was used since the last reading, which stays that.
func (m *meter) spentTogether(name string, at moment) {
	m.note(name, float64((at.cpu-m.last.cpu).Nanoseconds())/1e3)
}

// reached prints the time by the clock since the start, for all objects together.
func (m *meter) reached(name string, at moment) {
	m.note(name, float64(at.wall.Sub(m.start.wall).Nanoseconds())/1e3*m.objects)
}

// holds prints how much memory has been added since the start. Garbage is collected and given back first: how long Go keeps
// it is a setting.
func (m *meter) holds(name string) error {
	debug.FreeOSMemory()
	memory, err := statusBytes("VmRSS:")
	m.note(name, float64(memory)-float64(m.memoryStart))
	m.restart()
	return err
}

// heldAtMost prints how much more memory there was at the peak than at the start.
func (m *meter) heldAtMost(name string) error {
	peak, err := statusBytes("VmHWM:")
	m.note(name, float64(peak)-float64(m.memoryStart))
	return err
}

func (m *meter) note(name string, figure float64) { fmt.Println(name, figure/m.objects) }

// forgetPeak: from now on the peak is measured.
func forgetPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

func now() moment {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	return moment{wall: time.Now(), cpu: cpu, allocations: memory.Mallocs}
}

// atRest returns once the process does nothing any more: what it does behind the measured work is part of that.
func atRest() moment {
	const rest = 100 * time.Millisecond
	last := now()
	for {
		time.Sleep(rest)
		next := now()
		if next.cpu-last.cpu < rest/100 {
			return next
		}
		last = next
	}
}

func statusBytes(name string) (uint64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, name); found {
			kibibytes, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kibibytes * 1024, err
		}
	}
	return 0, fmt.Errorf("this system does not report %s", name)
}
