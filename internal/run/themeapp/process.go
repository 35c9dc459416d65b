package themeapp

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"stoa/internal/base/redact"
	"stoa/internal/extension/config"
	"stoa/internal/extension/theme"
	"stoa/internal/run/child"
	"stoa/internal/run/relay"
)

// preload runs in the process before the app.
//
//go:embed preload.cjs
var preload []byte

// The address in HOST and PORT, where apps listen. It is not a real one: see preload.cjs.
const (
	host = "127.0.0.1"
	port = "3000"
)

const (
	// connIdle is how long a connection to an app may be idle: less than it keeps one
	// (preload.cjs).
	connIdle = 30 * time.Second

	// healthTimeout is how long an app may take to answer one question.
	healthTimeout = 5 * time.Second

	// healthPause is between two questions to an app that is not healthy yet.
	healthPause = 200 * time.Millisecond

	// maxAnswer bytes of an unhealthy answer are read, and maxShown of them reported. What is
	// read is longer, so that no secret is cut, which would not be recognized.
	maxAnswer = 8 << 10
	maxShown  = 200
)

// process is one process of an app. It is never started again: another takes its place.
type process struct {
	s         *app
	transport *relay.Transport

	started chan struct{} // closed when it listens or failed to
	ending  chan struct{} // closed to make it end
	done    chan struct{} // closed when it is gone

	output *child.Output

	// Valid once started is closed.
	child    *child.Child // nil with an error
	since    time.Time
	startErr error
}

func newProcess(s *app) *process {
	p := &process{
		s: s, started: make(chan struct{}), ending: make(chan struct{}), done: make(chan struct{}),
		output: child.NewOutput(s.log, "theme app says", redact.Secrets(secretsOf(s.of))),
	}
	p.transport = relay.NewTransport(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return p.child.Dial(ctx)
	}, connIdle)
	return p
}

// run owns the process from its start until it is gone.
func (p *process) run() {
	defer close(p.done)
	begin := time.Now()
	ctx, cancel := context.WithCancel(p.s.rt.alive)
	defer cancel()
	go func() {
		select {
		case <-p.ending:
			select { // a start goes on for the calls that wait for it
			case <-p.s.drained:
			case <-ctx.Done():
			}
			cancel()
		case <-ctx.Done():
		}
	}()
	c, err := p.start(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = errStopping
		}
		p.startErr = err
		close(p.started)
		if errors.Is(err, errStopping) {
			err = nil
		}
		p.s.ended(p, err)
		return
	}
	p.child, p.since = c, time.Now()
	close(p.started)
	p.s.log.Info("theme app ready", slog.Int("pid", c.PID()),
		slog.Duration("took", time.Since(begin).Round(time.Millisecond)))
	go p.watchHealth()
	go p.endWhenAsked()
	c.Watch(child.Watch{Busy: p.s.busy})
	<-c.Exited()
	err = c.Err()
	p.transport.CloseIdleConnections()
	select {
	case <-p.ending:
		err = nil
	case <-p.s.rt.alive.Done():
		err = nil
	default:
	}
	p.s.ended(p, err)
}

// start starts a child and returns it when it listens. ctx ends the start, not the child.
func (p *process) start(ctx context.Context) (*child.Child, error) {
	cfg := p.s.rt.cfg
	if cfg.Fetch != nil {
		if err := cfg.Fetch(ctx, p.s.of.Version); err != nil {
			return nil, err
		}
	}
	spec, err := p.spec() //nolint:contextcheck // what it finds is cached for all callers
	if err != nil {
		return nil, err
	}
	c, err := cfg.Children.Start(context.WithoutCancel(ctx), spec)
	if err != nil {
		return nil, err
	}
	err = c.Ready(cfg.Start, ctx.Done())
	if err == nil {
		return c, nil
	}
	c.Kill()
	<-c.Exited()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, child.ErrLate):
		return nil, fmt.Errorf("it does not listen at HOST and PORT after %s", cfg.Start)
	}
	return nil, err
}

// endWhenAsked ends the program when it is no longer needed, its running calls are done or
// out of time; at once when stoa stops.
func (p *process) endWhenAsked() {
	select {
	case <-p.ending:
	case <-p.done:
		return
	case <-p.s.rt.alive.Done():
		p.child.End(p.s.rt.cfg.Grace)
		return
	}
	drain := time.NewTimer(p.s.rt.cfg.Drain)
	defer drain.Stop()
	select {
	case <-p.s.drained:
	case <-drain.C:
	case <-p.done:
	case <-p.s.rt.alive.Done():
	}
	p.child.End(p.s.rt.cfg.Grace)
}

// goneSoon reports whether the process is gone, or goes within a moment.
func (p *process) goneSoon() bool { return p.child.AwaitEnd(p.done, p.s.rt.cfg.ReapWait) }

// spec returns what Node.js is to run.
func (p *process) spec() (child.Spec, error) {
	a, cfg := p.s.of, p.s.rt.cfg
	machine, err := cfg.Children.Machine()
	if err != nil {
		return child.Spec{}, err
	}
	load, err := machine.Put("preload.cjs", preload)
	if err != nil {
		return child.Spec{}, err
	}
	data, err := filepath.EvalSymlinks(cfg.DataDir)
	if err != nil {
		return child.Spec{}, err
	}
	dir, entry, err := child.RealPaths(data, a.Version.InstallPath, a.Version.Manifest.Program.Entry)
	if err != nil {
		return child.Spec{}, err
	}
	spec := child.Spec{
		Log: p.s.log, Output: p.output, Input: bytes.NewReader(p.input()), Dir: dir, Data: data, Files: []string{load},
		Args: []string{"--require", load, entry}, HeapMiB: cfg.MemoryMiB, Stall: cfg.Stall,
	}
	if cfg.Egress != nil {
		spec.Network = cfg.Egress.Whole
	}
	return spec, nil
}

// input returns what the preload reads from its standard input.
func (p *process) input() []byte {
	a, cfg := p.s.of, p.s.rt.cfg
	conf := string(a.Config)
	if conf == "" {
		conf = "{}"
	}
	text, _ := json.Marshal(map[string]any{ // texts always marshal
		"beatMs": child.BeatInterval(cfg.Stall).Milliseconds(),
		"env": map[string]string{
			"HOST": host, "HOSTNAME": host, "PORT": port,
			"STOA_API_BASE_URL":    cfg.APIBaseURL,
			"STOA_BASE_PATH":       theme.BasePath(a.Version.Target(), a.Version.Manifest.Slug),
			"STOA_THEME_APP_TOKEN": a.Token,
			"STOA_THEME_CONFIG":    conf,
		},
	})
	return text
}

// secretsOf returns what must not appear in a log.
func secretsOf(a theme.App) []string {
	secrets := []string{a.Token}
	values, _ := config.Decode(a.Config)
	for name, field := range a.Version.Manifest.ConfigSchema {
		if text, ok := values[name].(string); ok && field.IsSecret() && len(text) >= redact.Shortest {
			secrets = append(secrets, text)
		}
	}
	return secrets
}

var errNoAnswer = errors.New("gets no answer")

// awaitHealthy returns nil when the health check has answered 2xx.
func (p *process) awaitHealthy(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	problem, answered := errors.New("it was not asked"), false
	for {
		err := p.ask(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil && !(answered && errors.Is(err, errNoAnswer)) {
			problem, answered = err, !errors.Is(err, errNoAnswer) // otherwise the last real answer says more
		}
		select {
		case <-time.After(healthPause):
		case <-p.done:
			return fmt.Errorf("the program ended: %w", problem)
		case <-ctx.Done():
			return problem
		}
	}
}

// ask returns what is wrong with the app according to its health check, or nil.
func (p *process) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	path := p.s.of.Version.Manifest.Program.Health
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://stoa"+path, nil)
	if err != nil {
		return err
	}
	res, err := p.transport.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("GET %s %w: %w", path, errNoAnswer, err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer)) // of use only to a reader
	if res.StatusCode/100 == 2 {
		return nil
	}
	// Administrators and the log get this, and an app may answer with its config.
	shown := p.output.Redact(string(text))
	return fmt.Errorf("GET %s answers %d %s", path, res.StatusCode,
		strings.ToValidUTF8(shown[:min(len(shown), maxShown)], "?"))
}

// watchHealth asks the app at regular times how it is, and writes changes to the log. An
// app that is not well is left alone: what it lacks may be outside of it, and a restart
// would not bring it back.
func (p *process) watchHealth() {
	tick := time.NewTicker(p.s.rt.cfg.HealthEvery)
	defer tick.Stop()
	well := true
	for {
		select {
		case <-p.done:
			return
		case <-p.ending:
			return
		case <-tick.C:
		}
		err := p.ask(p.s.rt.alive)
		if (err == nil) == well || p.s.rt.alive.Err() != nil {
			continue
		}
		if well = err == nil; well {
			p.s.log.Info("theme app is healthy again")
		} else {
			p.s.log.Warn("theme app is unhealthy", slog.Any("err", err))
		}
	}
}
