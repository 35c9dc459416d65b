package node

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa/internal/base/redact"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
	"stoa/internal/run/egress"
)

// sharedProcess is one Node.js process for the instances of a package whose setting
// isolation is shared. Each instance is a member: a Fastify application with its own
// config and secret (nodehost/src/shared.js), which comes and goes without the others.
// What ends the process ends all of them.
type sharedProcess struct {
	rt     *Runtime
	key    string
	in     plugin.Installed // the first member's, for what all have in common
	kept   bool             // all members are
	log    *slog.Logger
	secret string        // for pings
	output *child.Output // what belongs to no member

	launched chan struct{} // closed when the process runs, or could not be started
	err      error         // why it could not; valid once launched is closed
	child    *child.Child
	watching sync.Once
	proven   chan struct{} // closed when a member was ready

	users int // members, and those about to be; guarded by Runtime.mu

	first    map[string]any // the first instructions of the host program
	sending  sync.Mutex
	commands *os.File

	mu      sync.Mutex
	members map[string]*member
	names   int
}

// member is an instance in a shared process, by the name it has there.
type member struct {
	*process

	name   string
	redact func(string) string
	added  chan error    // gets the report of its start
	silent chan struct{} // closed when it was closed and all of its output was read
	hush   sync.Once     // closes silent
}

// shares reports whether p is to be a member of a shared process. A trial never is:
// it may harm whom it meets.
func (p *process) shares() bool {
	return p.in.Package.Settings.Isolation == plugin.IsolationShared && !p.owner.trial
}

// sharedKey names what instances must have in common to share a process: the code,
// the settings, what the process may connect to, and whether it is kept running.
func sharedKey(in plugin.Installed, kept bool) string {
	parts := []string{
		in.Package.Manifest.Slug, in.Package.InstallPath, in.Package.ZipHash,
		strconv.FormatInt(in.Package.Settings.Version, 10), strconv.FormatBool(kept),
	}
	permissions := slices.DeleteFunc(in.Permissions(), func(p string) bool {
		return !strings.HasPrefix(p, egress.Permission)
	})
	slices.Sort(permissions)
	return strings.Join(append(parts, permissions...), "\x00")
}

// join returns the shared process for p, which it starts if there is none. The caller
// leaves it.
func (rt *Runtime) join(p *process) *sharedProcess {
	key := sharedKey(p.in, p.kept)
	rt.mu.Lock()
	defer rt.mu.Unlock()
	s := rt.shared[key]
	if s == nil || s.isGone() {
		s = &sharedProcess{
			rt: rt, key: key, in: p.in, kept: p.kept, secret: rand.Text(),
			launched: make(chan struct{}), proven: make(chan struct{}), members: make(map[string]*member),
		}
		s.log = child.WithJournal(rt.cfg.Log, s).With(slog.String("slug", p.in.Package.Manifest.Slug))
		s.output = child.NewOutput(s.log, child.PluginSays, s.redact)
		s.output.CountLost(rt.lost.of(p.in.Package.Manifest.Slug))
		s.output.Route(tagLimit, s.route)
		rt.shared[key] = s
		go s.launch()
	}
	s.users++
	p.shared = s
	return s
}

// isGone reports whether the process has ended, or could not be started.
func (s *sharedProcess) isGone() bool {
	select {
	case <-s.launched:
	default:
		return false
	}
	if s.err != nil {
		return true
	}
	select {
	case <-s.child.Exited():
		return true
	default:
		return false
	}
}

// leave ends the process with the last member, and returns when it is gone.
func (s *sharedProcess) leave() {
	s.rt.mu.Lock()
	s.users--
	last := s.users == 0
	if last {
		s.closeTo()
	}
	s.rt.mu.Unlock()
	if !last {
		return
	}
	<-s.launched
	if s.child == nil {
		return
	}
	s.child.End(s.rt.cfg.Grace)
}

// closeTo makes the next instance start another process. The caller holds Runtime.mu.
func (s *sharedProcess) closeTo() {
	if s.rt.shared[s.key] == s {
		delete(s.rt.shared, s.key)
	}
}

func (s *sharedProcess) launch() {
	defer close(s.launched)
	s.child, s.err = s.rt.launch(s.in, s.channel(), child.Spec{Log: s.log, Output: s.output, Report: s.report},
		s.instructions)
	if s.err == nil {
		go s.closeWhenGone()
		if s.send(s.first) != nil {
			s.child.Kill() // the waiting members get the reason
		}
		return
	}
	if s.commands != nil {
		_ = s.commands.Close()
	}
	s.rt.mu.Lock()
	defer s.rt.mu.Unlock()
	s.closeTo()
}

func (s *sharedProcess) closeWhenGone() {
	<-s.child.Exited()
	_ = s.commands.Close()
	s.rt.mu.Lock()
	defer s.rt.mu.Unlock()
	s.closeTo()
}

// channel returns the members' way to the platform. A member proves that it asks with its secret,
// which only the host program has.
func (s *sharedProcess) channel() reqctx.Channel {
	find := func(is func(*member) bool) (string, bool) {
		for _, m := range s.all() {
			if is(m) {
				return m.in.Instance.ID, true
			}
		}
		return "", false
	}
	return reqctx.Channel{
		Has: func(id string) bool {
			_, ok := find(func(m *member) bool { return m.in.Instance.ID == id })
			return ok
		},
		Asker: func(proof string) (string, bool) {
			return find(func(m *member) bool { return subtle.ConstantTimeCompare([]byte(m.secret), []byte(proof)) == 1 })
		},
	}
}

// instructions returns the pipe over which the host program gets its orders.
func (s *sharedProcess) instructions(entry string) (io.Reader, error) {
	s.first = s.rt.commonInstructions(s.in, entry, s.kept)
	s.first["shared"], s.first["secret"] = true, s.secret
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.commands = w
	return r, nil
}

// sendTimeout is how long the host program may take to read an order.
const sendTimeout = 10 * time.Second

// send writes a line to the host program.
func (s *sharedProcess) send(fields map[string]any) error {
	text, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("node: instructions: %w", err)
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := s.commands.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	_, err = s.commands.Write(append(text, '\n'))
	return err
}

// enter makes p a member.
func (s *sharedProcess) enter(p *process) *member {
	clean := redact.Secrets(p.in.SecretTexts())
	p.output = child.NewOutput(p.log, child.PluginSays, s.redact)
	p.output.CountLost(p.rt.lost.of(p.in.Package.Manifest.Slug))
	p.child = s.child
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names++
	m := &member{
		process: p, name: strconv.Itoa(s.names), redact: clean, added: make(chan error, 1), silent: make(chan struct{}),
	}
	s.members[m.name] = m
	return m
}

// forget ends the membership of m. What it prints from now on belongs to no member.
func (s *sharedProcess) forget(m *member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.members, m.name)
}

// all returns the members.
func (s *sharedProcess) all() []*member {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*member, 0, len(s.members))
	for _, m := range s.members {
		all = append(all, m)
	}
	return all
}

func (s *sharedProcess) member(name string) *member {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.members[name]
}
