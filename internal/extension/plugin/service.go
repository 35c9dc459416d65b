package plugin

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/trust/seal"
)

// Stopper ends what was started with a state that no longer holds.
type Stopper interface {
	// Stop ends whatever runs for an installation, if anything does. A later request
	// may start it again.
	Stop(installationID string)
}

// Service manages packages, their instances and their secrets. All fields are required
// that do not say otherwise. It is safe for concurrent use.
type Service struct {
	Store Store
	Now   func() time.Time

	Configs *seal.Box // seals configs, bound to the instance's id
	Secrets *seal.Box // seals signing secrets, bound to the package's slug

	// Processes runs internal plugins. The Service stops what it runs for an instance that
	// was disabled, changed or deleted. nil if nothing runs in this process.
	Processes Processes

	// Circuits knows which instances are not called for a while. nil if this process calls
	// none.
	Circuits Circuits

	// Prober tries versions of plugins before they are switched to. nil if nothing
	// can be tried in this process.
	Prober Prober
}

// now is the time at the precision the database keeps.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// in returns the service on st, inside a transaction.
func (s *Service) in(st Store) *Service {
	c := *s
	c.Store = st
	return &c
}

func (s *Service) stop(installationID string) {
	if s.Processes != nil {
		s.Processes.Stop(installationID)
	}
}

func (s *Service) stopAll(installationIDs []string) {
	for _, id := range installationIDs {
		s.stop(id)
	}
}

// IsUninstalled reports whether a package was uninstalled and can be restored.
func (s *Service) IsUninstalled(ctx context.Context, slug string) (bool, error) {
	p, err := s.Store.GetPackage(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	}
	return err == nil && !p.DeletedAt.IsZero(), err
}
