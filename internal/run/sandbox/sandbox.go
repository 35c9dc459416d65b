// Package sandbox runs an untrusted program contained by the operating system: in separate
// namespaces (user, PID, IPC, mount, network), with a file tree that holds only the files it was
// given, under Landlock, a system call filter and limits.
//
// The kernel applies most of this only to the calling process. So stoa does not start the program
// directly: it starts itself once more, under another name, and that copy contains itself and then
// becomes the program. The process id stays the same, and nothing else of stoa remains in the
// process.
//
// How much works depends on the kernel and on what the operator allows. New finds out by trying, and
// Box.Level returns the result. Only Linux reaches Full.
//
// The package knows nothing of plugins or Node.js. Package egress decides what a contained program
// may connect to.
package sandbox

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// Level is how well programs are contained.
type Level string

// The levels, weakest first.
const (
	// Basic is whatever this machine supports, possibly nothing.
	Basic Level = "basic"

	// Full is everything: namespaces, Landlock and the system call filter.
	Full Level = "full"
)

// Meets reports whether l is at least as strong as demanded.
func (l Level) Meets(demanded Level) bool { return l == Full || demanded != Full }

// Part is a means of containment that a kernel may lack.
type Part string

// The parts.
const (
	Namespaces Part = "namespaces"
	Landlock   Part = "landlock"
	Seccomp    Part = "seccomp"
)

// Cgroup limits memory and threads of a program as a whole, where stoa may make control groups (v2).
// No level requires it: without it, the limits of the process still hold.
const Cgroup Part = "cgroup"

// parts are all parts that Full needs.
var parts = []Part{Namespaces, Landlock, Seccomp}

// Box contains programs with the parts that work here. It is safe for concurrent
// use.
type Box struct {
	has      []Part
	missing  []Missing
	groups   *Groups // nil without Cgroup
	groupErr error   // why groups is nil
}

// Missing is a part that does not work here.
type Missing struct {
	Part  Part
	Cause error
}

// String implements fmt.Stringer.
func (m Missing) String() string { return string(m.Part) + ": " + m.Cause.Error() }

var errSwitchedOff = errors.New("switched off")

// New returns a Box with the parts that work here. try starts a harmless program in a Box and reports
// whether it ran; New calls it once if all parts work, and otherwise for each part too. Parts in
// without are not used.
func New(try func(*Box) error, without ...Part) *Box {
	b := &Box{}
	var wanted []Part
	for _, p := range parts {
		if err := supported(p); err != nil {
			b.missing = append(b.missing, Missing{p, err})
		} else if slices.Contains(without, p) {
			b.missing = append(b.missing, Missing{p, errSwitchedOff})
		} else {
			wanted = append(wanted, p)
		}
	}
	if len(wanted) == 0 {
		return b
	}
	err := try(&Box{has: wanted})
	if err == nil {
		b.has = wanted
		return b
	}
	for _, p := range wanted {
		if len(wanted) > 1 {
			err = try(&Box{has: []Part{p}})
		}
		if err != nil {
			b.missing = append(b.missing, Missing{p, err})
			continue
		}
		b.has = append(b.has, p)
	}
	return b
}

// UseGroups makes b put each program into its own control group, if groups can be made and try
// succeeds with them.
func (b *Box) UseGroups(groups *Groups, err error, try func(*Box) error) {
	if err == nil && len(b.has) == 0 {
		err = errors.New("nothing else works either")
	}
	if err == nil {
		b.groups = groups
		if err = try(b); err == nil {
			return
		}
		b.groups = nil
	}
	if groups != nil {
		groups.Close()
	}
	b.groupErr = err
}

// Ungrouped returns why b uses no control groups, or nil if it does.
func (b *Box) Ungrouped() error {
	if b.groups == nil && b.groupErr == nil {
		return errSwitchedOff
	}
	return b.groupErr
}

// Close removes b's control groups. All programs must have ended.
func (b *Box) Close() {
	if b.groups != nil {
		b.groups.Close()
	}
}

// Has reports whether b uses a part.
func (b *Box) Has(p Part) bool { return slices.Contains(b.has, p) }

// Level returns the level that b reaches.
func (b *Box) Level() Level {
	if len(b.has) == len(parts) {
		return Full
	}
	return Basic
}

// Missing returns why b is not Full, for an administrator.
func (b *Box) Missing() string {
	all := make([]string, 0, len(b.missing))
	for _, m := range b.missing {
		all = append(all, m.String())
	}
	return strings.Join(all, "; ")
}

// Spec describes what a contained program can see. All paths are absolute and without symbolic
// links; paths that do not exist are skipped.
type Spec struct {
	Execute []string // files that may be run or mapped as code: the program and its libraries
	Read    []string // files and folders that may be read

	// Hosts are the names that the program can resolve, each with an address inside its
	// network. Only with Namespaces.
	Hosts []Host

	// Listen are the addresses inside the program's network at which stoa listens, as
	// "address:port". Only with Namespaces; see Contained.Listeners.
	Listen []string

	// Files are small files that only the program sees, by absolute path. Only with Namespaces.
	Files map[string]string

	Limits Limits
}

// Host is a line of the program's hosts file.
type Host struct{ Name, Address string }

// Limits limit a program's resources. Zero means no limit.
type Limits struct {
	DataBytes uint64 // of writable private memory; reserved address space does not count
	OpenFiles uint64
	Threads   uint64 // only with Namespaces or Cgroup: elsewhere the kernel counts all of the user's

	GroupBytes uint64 // of memory in all, page cache and kernel included; only with Cgroup

	// TempBytes and TempFiles limit what the program may write below TempDir: it is in memory, and
	// gone with the program. Only with Namespaces; without them, or if one is zero, there is no
	// such folder.
	TempBytes, TempFiles uint64
}

// TempDir is the only folder in which a contained program may write. It is not /tmp, below which the
// files of the program itself may lie.
const TempDir = "/private-tmp"

// Contained is a program that was started in a Box.
type Contained struct {
	control *os.File    // our end of the pair over which the listeners come; nil without Namespaces
	remote  *os.File    // the program's end
	wanted  int         // listeners
	bounded atomic.Bool // see Bounded
	group   *group      // nil without Cgroup
}

// OwnNetwork reports whether the program has a network of its own.
func (c *Contained) OwnNetwork() bool { return c.control != nil }

// Bounded reports whether the kernel keeps at most SocketBytes for each TCP socket of the program.
// It is known once Listeners has returned.
func (c *Contained) Bounded() bool { return c.bounded.Load() }

// OutOfMemory reports whether the kernel killed the program for exceeding Limits.GroupBytes. Call it
// after the program has exited, and before Ended.
func (c *Contained) OutOfMemory() bool { return c.group != nil && c.group.outOfMemory() }

// Ended releases the program's control group. Call it when the program has exited, or could not be
// started.
func (c *Contained) Ended() {
	if c.group != nil {
		c.group.close()
	}
}
