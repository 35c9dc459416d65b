package password

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"log/slog"
	"os/exec"
	"sync"
	"time"
)

// AsideCommand is the argument with which stoa computes hashes for another stoa: see Aside.
const AsideCommand = "hash-passwords"

const (
	// asideIdle is how long the process of an Aside stays without work.
	asideIdle = time.Minute
	// asideLimit bounds one hash, which takes some 25 ms, and longer beside much else. Whoever waits behind
	// it is not to be refused for that (Limits.MaxWait).
	asideLimit = 5 * time.Second
	// asideAgain is how long after a failure a process is started again. It doubles with each failure in a row, up to
	// asideRarely: on a machine that is full of other work, every try lets somebody wait for asideLimit.
	asideAgain  = 10 * time.Second
	asideRarely = 10 * time.Minute
)

var (
	errAsideStalled = errors.New("password: no hash in time")
	errAsideKey     = errors.New("password: a hash of another length")
)

// Aside computes hashes in a process of its own with a lower priority: however many people sign in,
// other requests get a processor first. In this process they would wait for Go's scheduler, which
// takes a processor from a hash after 10 ms only.
//
// The first hash starts the process, and a minute without one ends it. While it cannot run, hashes are
// computed in this process. Make it with NewAside; whoever made it must call Close. It is safe for
// concurrent use.
type Aside struct {
	command func() *exec.Cmd
	log     *slog.Logger
	idle    *time.Timer   // ends the process
	limit   time.Duration // asideLimit, but for tests
	again   time.Duration // asideAgain, but for tests

	mu      sync.Mutex
	process *asideProcess // nil while none runs
	users   int           // hashes that process computes
	retryAt time.Time     // no process is started before
	inARow  int           // failures since the last hash
	closed  bool
}

// NewAside returns an Aside without a process. command returns what runs ServeAside.
func NewAside(command func() *exec.Cmd, log *slog.Logger) *Aside {
	a := &Aside{command: command, log: log, limit: asideLimit, again: asideAgain}
	a.idle = time.AfterFunc(asideIdle, a.endIdle)
	return a
}

// Close ends the process, once it has computed what it was asked for, or when ctx is done.
func (a *Aside) Close(ctx context.Context) {
	a.mu.Lock()
	a.closed = true
	a.idle.Stop()
	process := a.process
	a.process = nil
	a.mu.Unlock()
	if process != nil {
		process.end(ctx)
	}
}

// derive returns the key of a password, or nil if it has to be computed here.
func (a *Aside) derive(password string, h phc) []byte {
	process := a.acquire()
	if process == nil {
		return nil
	}
	key, err := process.derive(password, h)
	if err == nil && len(key) != h.params.KeyLen {
		process.kill()
		key, err = nil, errAsideKey
	}
	a.release(process, err)
	return key
}

func (a *Aside) acquire() *asideProcess {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.process == nil {
		if a.closed || time.Now().Before(a.retryAt) {
			return nil
		}
		process, err := startAside(a.command(), a.limit)
		if err != nil {
			a.failed(err)
			return nil
		}
		a.process, a.users = process, 0
	}
	a.idle.Stop()
	a.users++
	return a.process
}

func (a *Aside) release(process *asideProcess, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.process != process {
		return // it has been replaced, or Close ends it
	}
	a.users--
	if err != nil {
		a.process = nil
		a.failed(err)
		return
	}
	a.inARow = 0
	if a.users == 0 {
		a.idle.Reset(asideIdle)
	}
}

// failed says why hashes are computed in this process. The caller holds mu.
func (a *Aside) failed(err error) {
	a.retryAt = time.Now().Add(min(a.again<<min(a.inARow, 10), max(a.again, asideRarely)))
	a.inARow++
	a.log.Warn("the process that hashes passwords failed: this process hashes them for now", slog.Any("err", err))
}

func (a *Aside) endIdle() {
	a.mu.Lock()
	process := a.process
	if a.users > 0 {
		process = nil
	} else {
		a.process = nil
	}
	a.mu.Unlock()
	if process != nil {
		process.end(context.Background())
	}
}

// asideWork is a hash to compute, and asideResult its outcome.
type (
	asideWork struct {
		ID       uint64
		Password string
		Salt     []byte
		Params   Params
	}
	asideResult struct {
		ID  uint64
		Key []byte
	}
)

// asideProcess is a process that runs ServeAside.
type asideProcess struct {
	cmd   *exec.Cmd
	limit time.Duration // for one hash, and for its end
	in    io.Closer
	ended chan struct{} // closed when it is gone; err is set before
	err   error

	mu      sync.Mutex
	to      *gob.Encoder
	last    uint64
	waiting map[uint64]chan<- []byte
}

// startAside starts a process, which is killed if a hash takes longer than limit.
func startAside(cmd *exec.Cmd, limit time.Duration) (*asideProcess, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &asideProcess{
		cmd: cmd, limit: limit, in: in, ended: make(chan struct{}),
		to: gob.NewEncoder(in), waiting: make(map[uint64]chan<- []byte),
	}
	go p.read(out)
	return p, nil
}

// read hands out results until the process ends.
func (p *asideProcess) read(out io.Reader) {
	from := gob.NewDecoder(out)
	for {
		var r asideResult
		if err := from.Decode(&r); err != nil {
			p.kill() // if it prints something else
			p.err = errors.Join(err, p.cmd.Wait())
			close(p.ended)
			return
		}
		p.mu.Lock()
		if waiting := p.waiting[r.ID]; waiting != nil {
			waiting <- r.Key // never waits: it has room for one
			delete(p.waiting, r.ID)
		}
		p.mu.Unlock()
	}
}

func (p *asideProcess) derive(password string, h phc) ([]byte, error) {
	key := make(chan []byte, 1)
	// A process that stands still ends, and with it whoever waits to write or to read.
	late := time.AfterFunc(p.limit, p.kill)
	p.mu.Lock()
	p.last++
	p.waiting[p.last] = key
	err := p.to.Encode(asideWork{ID: p.last, Password: password, Salt: h.salt, Params: h.params})
	p.mu.Unlock()
	if err != nil {
		p.kill()
	}
	select {
	case k := <-key:
		late.Stop()
		return k, nil
	case <-p.ended:
		if !late.Stop() {
			return nil, errAsideStalled
		}
		return nil, cmp.Or(err, p.err)
	}
}

func (p *asideProcess) kill() { _ = p.cmd.Process.Kill() }

// end asks the process to end, and returns when it is gone. When ctx is done, it is killed.
func (p *asideProcess) end(ctx context.Context) {
	_ = p.in.Close()
	defer context.AfterFunc(ctx, p.kill)()
	defer time.AfterFunc(p.limit, p.kill).Stop()
	<-p.ended
}
