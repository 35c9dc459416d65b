// Package sandbox runs a foreign program where the operating system contains it:
// in namespaces of its own (user, PID, IPC, mount, network), with a file tree that
// holds only what it was given, under Landlock, a system call filter and limits.
//
// The kernel applies most of this to the process that asks. So the program is not
// started directly: stoa starts itself once more, under another name, and that
// copy contains itself and then becomes the program. The same process id stays,
// and nothing else of stoa is left in it.
//
// How far this goes depends on the kernel and on what an operator allows. New
// finds out by trying, and tells the Level. Only Linux reaches Full.
//
// The package knows nothing of plugins or Node.js. What a contained program may
// connect to is package egress.
package sandbox

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// Level says how well programs are contained.
type Level string

// The levels, the weaker one first.
const (
	// Basic is whatever is possible here, maybe nothing.
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

// Cgroup bounds memory and threads of a program as a whole, where stoa may make
// control groups (v2). It belongs to no level: limits of the process hold without.
const Cgroup Part = "cgroup"

// parts are all parts that Full needs.
var parts = []Part{Namespaces, Landlock, Seccomp}

// Box contains programs with the parts that work here. It is safe for concurrent
// use.
type Box struct {
	has     []Part
	missing []Missing
	groups  *Groups // nil without Cgroup
	ungroup error   // why
}

// Missing is a part that does not work here.
type Missing struct {
	Part  Part
	Cause error
}

// String implements fmt.Stringer.
func (m Missing) String() string { return string(m.Part) + ": " + m.Cause.Error() }

var errSwitchedOff = errors.New("switched off")

// New returns a Box with the parts that work here. try starts a harmless program
// in a Box and reports whether it ran; it is called once if all parts work, and
// else for each of them. Parts in without are not used.
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

// UseGroups makes b put each program into a control group of its own, if one can be
// made and try succeeds with it.
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
	b.ungroup = err
}

// Ungrouped returns why b uses no control groups, or nil if it does.
func (b *Box) Ungrouped() error {
	if b.groups == nil && b.ungroup == nil {
		return errSwitchedOff
	}
	return b.ungroup
}

// Close removes what b has made for all programs. They must have ended.
func (b *Box) Close() {
	if b.groups != nil {
		b.groups.Close()
	}
}

// Has reports whether a part is used.
func (b *Box) Has(p Part) bool { return slices.Contains(b.has, p) }

// Level returns the level that b reaches.
func (b *Box) Level() Level {
	if len(b.has) == len(parts) {
		return Full
	}
	return Basic
}

// Missing returns what keeps b from being Full, for an administrator.
func (b *Box) Missing() string {
	all := make([]string, 0, len(b.missing))
	for _, m := range b.missing {
		all = append(all, m.String())
	}
	return strings.Join(all, "; ")
}

// Spec says what a contained program gets to see. All paths are absolute and
// without symbolic links; what does not exist is left out.
type Spec struct {
	Execute []string // files that may be run or mapped as code: the program and its libraries
	Read    []string // files and folders that may be read

	// Hosts are the names that the program can resolve, with an address inside of
	// its network each. Only with Namespaces.
	Hosts []Host

	// Listen are the addresses inside of the program's network at which stoa
	// answers, as "address:port". Only with Namespaces; see Contained.Listeners.
	Listen []string

	// Files are small files that only the program sees, by absolute path. Only with
	// Namespaces.
	Files map[string]string

	Limits Limits
}

// Host is a line of the program's hosts file.
type Host struct{ Name, Address string }

// Limits bound what the kernel gives to a program. Zero means no limit.
type Limits struct {
	DataBytes uint64 // of writable private memory; reserved address space does not count
	OpenFiles uint64
	Threads   uint64 // only with Namespaces or Cgroup: elsewhere the kernel counts all of the user's

	GroupBytes uint64 // of memory in all, page cache and kernel included; only with Cgroup
}

// Contained is a program that was started in a Box.
type Contained struct {
	control *os.File // our end of the pair over which the listeners come; nil without Namespaces
	remote  *os.File // the program's end
	wanted  int      // listeners
	group   *group   // nil without Cgroup
}

// OutOfMemory reports whether the kernel ended the program for Limits.GroupBytes. Ask
// after it has exited, and before Ended.
func (c *Contained) OutOfMemory() bool { return c.group != nil && c.group.outOfMemory() }

// Ended releases what the program had as long as it ran. Call it when it has exited,
// or could not be started.
func (c *Contained) Ended() {
	if c.group != nil {
		c.group.close()
	}
}
