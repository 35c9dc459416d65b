package plugin

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Health is what an external plugin said of its health.
type Health struct {
	ZipHash   string // of the archive that said it
	Healthy   bool
	Since     time.Time // when it said so for the first time
	Due       time.Time // when it is asked again
	LastError Failure   // zero if it was never unhealthy
}

// staleAfter is how long after it was due a health still counts. Nobody asks when the
// probes are turned off, or when no instance is enabled.
const staleAfter = time.Minute

// status returns what a health says of the instances of its package at that time.
func (h Health) status(now time.Time) RuntimeStatus {
	switch {
	case now.Sub(h.Due) > staleAfter:
		return RuntimeStatus{State: StateUnknown, LastError: h.LastError}
	case h.Healthy:
		return RuntimeStatus{State: StateRunning, Since: h.Since, LastError: h.LastError, WellAt: h.Since}
	}
	return RuntimeStatus{State: StateUnhealthy, Since: h.Since, LastError: h.LastError}
}

// CurrentHealths returns which external packages said last that they are healthy, and which
// that they are not, by slug. What is out of date is left out.
func (s *Service) CurrentHealths(ctx context.Context) (map[string]bool, error) {
	all, err := s.Store.Healths(ctx)
	if err != nil {
		return nil, err
	}
	current := make(map[string]bool, len(all))
	for slug, h := range all {
		if h.status(s.now()).State != StateUnknown {
			current[slug] = h.Healthy
		}
	}
	return current, nil
}

// Probes asks external plugins for their health: every package that has an enabled
// instance, in the name of one of them, because all share an address. Of several processes
// on one database one asks. What a plugin answers is shown and decides nothing: calls go
// on. All fields but Limit are required.
type Probes struct {
	Service *Service
	Every   time.Duration // how often each package is asked
	Limit   time.Duration // how long an answer may take; 0: five seconds
	Log     *slog.Logger

	// Ask returns why a plugin is not healthy.
	Ask func(ctx context.Context, in Installed) Failure
}

const (
	// maxProbes is how many packages are asked at the same time.
	maxProbes = 16
	// probeLimit is Probes.Limit unless that is set.
	probeLimit = 5 * time.Second
	// maxLook is the longest time until a package that is due is found.
	maxLook = 5 * time.Second
	// jitter is by how much of the interval the time between two probes varies.
	jitter = 0.1
)

// Keep asks until ctx is done, and returns when the last probe has ended.
func (p *Probes) Keep(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	free := make(chan struct{}, maxProbes)
	for range maxProbes {
		free <- struct{}{}
	}
	look := time.NewTicker(min(p.Every/5, maxLook))
	defer look.Stop()
	for {
		p.start(ctx, free, &running)
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// start asks as many of the packages that are due as may be asked now. A package that
// does not answer delays no other as long as one of the places in free is left.
func (p *Probes) start(ctx context.Context, free chan struct{}, running *sync.WaitGroup) {
	now := p.Service.now()
	next := now.Add(time.Duration(float64(p.Every) * (1 - jitter + 2*jitter*rand.Float64()))) //nolint:gosec // no secret
	limit := len(free)
	if limit == 0 {
		return
	}
	found, err := p.Service.Store.ClaimProbes(ctx, now, next, limit)
	if err != nil {
		if ctx.Err() == nil {
			p.Log.WarnContext(ctx, "plugins that are due for a health probe could not be found", slog.Any("err", err))
		}
		return
	}
	for _, f := range found {
		<-free
		running.Go(func() {
			defer func() { free <- struct{}{} }()
			if err := p.probe(ctx, f); err != nil && ctx.Err() == nil {
				p.Log.WarnContext(ctx, "the health of a plugin could not be noted",
					slog.String("slug", f.Package.Manifest.Slug), slog.Any("err", err))
			}
		})
	}
}

// probe asks one package and notes its answer.
func (p *Probes) probe(ctx context.Context, f Found) error {
	slug := f.Package.Manifest.Slug
	if f.Package.Manifest.RuntimeType != External {
		return nil // of a package that was installed before stoa kept apart what is external
	}
	if f.Package.License.LapsedAt(p.Service.now()) {
		return nil
	}
	in, err := p.Service.opened(f.Package, f.Instance, nil)
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, cmp.Or(p.Limit, probeLimit))
	failure := p.Ask(asking, in)
	cancel()
	if ctx.Err() != nil {
		return nil //nolint:nilerr // stoa stops: that is not the plugin's fault
	}
	before, err := p.Service.Store.Healths(ctx, slug)
	if err != nil {
		return err
	}
	was, known := before[slug]
	healthy := failure.IsZero()
	if known && was.Healthy && healthy {
		return nil // as before: nothing is written
	}
	if known && was.Healthy != healthy || !known && !healthy {
		p.logChange(ctx, slug, failure)
	}
	return p.Service.Store.PutHealth(ctx, slug, Health{
		ZipHash: in.Package.ZipHash, Healthy: healthy, Since: p.Service.now(), LastError: failure,
	})
}

// logChange logs that a plugin became healthy or unhealthy.
func (p *Probes) logChange(ctx context.Context, slug string, failure Failure) {
	if failure.IsZero() {
		p.Log.InfoContext(ctx, "plugin is healthy again", slog.String("slug", slug))
		return
	}
	p.Log.WarnContext(ctx, "plugin is unhealthy", slog.String("slug", slug), slog.String("reason", failure.Message))
}
