package plugin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"stoa/internal/base/errs"
)

// License is the license that decides about a package: its own, or that of a bundle that brought it. The
// zero value is none: the package runs without one.
type License struct {
	State    string // as stoa acted upon it last; StateAt says what is now. Empty without a license
	Tier     string
	Features []string
	Trial    bool
	TermEnds time.Time // the end of the license itself; zero if it has none

	LastSeen  time.Time // the latest time known to have passed: a clock that is set back gains nothing
	GraceFrom time.Time // the end of the lease
	StopsAt   time.Time // the end of the grace: no clock starts the package again after that, only a new lease

	// What HeaderAt returns: before the grace, in it, and from StopsAt on.
	Header, GraceHeader, LapsedHeader string
}

// The states that depend on the time.
const (
	licenseGrace  = "grace"
	licenseLapsed = "lapsed"
)

// LapsedAt reports whether the license keeps its package from running at a time. That needs no look at
// anything else, so every process stops the package at the same moment.
func (l *License) LapsedAt(now time.Time) bool {
	return l.State != "" && (l.State == licenseLapsed || !l.passed(now).Before(l.StopsAt))
}

// passed returns the later of now and l.LastSeen.
func (l *License) passed(now time.Time) time.Time {
	if now.Before(l.LastSeen) {
		return l.LastSeen
	}
	return now
}

// StateAt returns the state of the license at a time.
func (l *License) StateAt(now time.Time) string {
	switch at := l.passed(now); {
	case l.State == "" || l.State == licenseLapsed:
		return l.State
	case !at.Before(l.StopsAt):
		return licenseLapsed
	case !at.Before(l.GraceFrom):
		return licenseGrace
	}
	return l.State
}

// LicenseStatus is what a package is told of its license (contract 9.7).
type LicenseStatus struct {
	State     string    `json:"state"`
	Tier      string    `json:"tier"`
	Features  []string  `json:"features,omitzero"` // nil: left out
	ExpiresAt *jsonTime `json:"expiresAt"`
	Trial     bool      `json:"trial"`
}

// Status returns what a package is told of its license at a time.
func (l *License) Status(now time.Time) LicenseStatus { return l.statusAs(l.StateAt(now)) }

func (l *License) statusAs(state string) LicenseStatus {
	t := LicenseStatus{State: state, Tier: l.Tier, Features: l.Features, Trial: l.Trial}
	if t.Features == nil {
		t.Features = []string{}
	}
	if !l.TermEnds.IsZero() {
		end := jsonTime(l.TermEnds)
		t.ExpiresAt = &end
	}
	return t
}

// jsonTime is a time as all answers of stoa have it.
type jsonTime time.Time

// MarshalJSON implements json.Marshaler.
func (t jsonTime) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(t).UTC().Format("2006-01-02T15:04:05.000Z"))
}

// maxLicenseHeader is the longest value of x-plugin-license in bytes.
const maxLicenseHeader = 1 << 10

// header returns the value of x-plugin-license. Features that are too long are left out, and so is a tier.
func (t LicenseStatus) header() string {
	value := base64.RawURLEncoding.EncodeToString(t.json())
	if len(value) > maxLicenseHeader {
		t.Features = nil
		value = base64.RawURLEncoding.EncodeToString(t.json())
	}
	if len(value) > maxLicenseHeader {
		t.Tier = ""
		value = base64.RawURLEncoding.EncodeToString(t.json())
	}
	return value
}

func (t LicenseStatus) json() []byte {
	text, _ := json.Marshal(t) // texts and times only
	return text
}

// prepared returns l with the values of its header for every time to come, so that no call makes one.
func (l License) prepared() License {
	if l.State != "" {
		l.Header = l.statusAs(l.State).header()
		l.GraceHeader, l.LapsedHeader = l.statusAs(licenseGrace).header(), l.statusAs(licenseLapsed).header()
	}
	return l
}

// HeaderAt returns the value of x-plugin-license at a time, and nothing without a license. It allocates
// nothing.
func (l *License) HeaderAt(now time.Time) string {
	switch l.StateAt(now) {
	case licenseGrace:
		return l.GraceHeader
	case licenseLapsed:
		return l.LapsedHeader
	}
	return l.Header
}

// LiveInstances returns the present state of those of the instances that run now; see Instances.LiveInstances.
func (s *Service) LiveInstances(ctx context.Context, ids []string) (map[string]Revision, error) {
	return s.Store.LiveInstances(ctx, ids, s.now())
}

// KnownInstances returns those of the instances that are there; see Instances.KnownInstances.
func (s *Service) KnownInstances(ctx context.Context, ids []string) (map[string]bool, error) {
	return s.Store.KnownInstances(ctx, ids)
}

// RunsAt reports whether the instance is enabled and its license does not keep it from running.
func (in *Installed) RunsAt(now time.Time) bool {
	return in.Instance.Enabled && !in.Package.License.LapsedAt(now)
}

// reasonLicense is what hooks of instances say that stop and start because of a license (contract 9.7).
const reasonLicense = "license"

// Lapse records in the transaction of st that a package stops because its license has lapsed: its enabled
// instances are told onDisable, and stay enabled. What it returns stops what runs in this process; others
// notice by the change of the generation.
func (s *Service) Lapse(ctx context.Context, st Store, slug string) (after func(), err error) {
	running, err := s.queueLicense(ctx, st, slug, OnDisable)
	return func() { s.stopAll(running) }, err
}

// Return records in the transaction of st that the license of a package holds again: its enabled instances
// are told onEnable. Tokens of the time before stay void. What it returns starts them in this process.
func (s *Service) Return(ctx context.Context, st Store, slug string) (after func(), err error) {
	returning, err := s.queueLicense(ctx, st, slug, OnEnable)
	if err != nil {
		return nil, err
	}
	if err := st.CountEnabling(ctx, slug); err != nil {
		return nil, err
	}
	starting := context.WithoutCancel(ctx)
	return func() {
		for _, id := range returning {
			s.start(starting, slug, id)
		}
	}, nil
}

// queueLicense records a hook of all enabled instances of a package, and returns their ids.
func (s *Service) queueLicense(ctx context.Context, st Store, slug, name string) (ids []string, err error) {
	p, err := live(ctx, st, slug) // locks it: an instance that is enabled meanwhile waits
	if errs.KindOf(err) == errs.NotFound {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	then := s.newEffects()
	err = eachInstance(ctx, st, slug, func(in StoredInstance) error {
		if in.Enabled {
			ids = append(ids, in.ID)
			then.hookFor(p, in, name, hookPayload{Reason: reasonLicense})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, then.record(ctx, st)
}

// running returns those of found whose license does not keep them from running.
func (s *Service) running(found []Found) []Found {
	now := s.now()
	return slices.DeleteFunc(found, func(f Found) bool { return f.Package.License.LapsedAt(now) })
}
