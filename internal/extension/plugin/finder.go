package plugin

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"stoa/internal/base/errs"
	"stoa/internal/extension/manifest"
)

// ByID returns an instance of a package by its installation id, or ErrInstanceNotFound.
func (s *Service) ByID(ctx context.Context, slug, installationID string) (Installed, error) {
	if !manifest.IsSlug(slug) || uuid.Validate(installationID) != nil {
		return Installed{}, ErrInstanceNotFound // nor may it be text that a database cannot compare
	}
	return s.opened(s.Store.FindByID(ctx, slug, installationID))
}

// ByKey returns an instance of a package by its key, or ErrInstanceNotFound.
func (s *Service) ByKey(ctx context.Context, slug, key string) (Installed, error) {
	if !manifest.IsSlug(slug) || !keyRE.MatchString(key) {
		return Installed{}, ErrInstanceNotFound
	}
	return s.opened(s.Store.FindByKey(ctx, slug, key))
}

// ByInstallation returns the enabled instance with that installation id, of any
// package: the holder of a plugin's own token. The error is ErrInstanceNotFound for
// a disabled one too, and for one whose license has lapsed.
func (s *Service) ByInstallation(ctx context.Context, installationID string) (Installed, error) {
	if uuid.Validate(installationID) != nil {
		return Installed{}, ErrInstanceNotFound
	}
	in, err := s.opened(s.Store.FindInstallation(ctx, installationID))
	if err == nil && !in.RunsAt(s.now()) {
		return Installed{}, ErrInstanceNotFound
	}
	return in, err
}

// Unpurged is ByInstallation for an instance that may be disabled or deleted, or belong to an
// uninstalled package: one whose hook is delivered. The error is ErrInstanceNotFound once the
// package was purged.
func (s *Service) Unpurged(ctx context.Context, installationID string) (Installed, error) {
	if uuid.Validate(installationID) != nil {
		return Installed{}, ErrInstanceNotFound
	}
	return s.opened(s.Store.FindUnpurged(ctx, installationID))
}

// opened returns what the store found with its config unsealed, or
// ErrInstanceNotFound.
func (s *Service) opened(p Package, stored StoredInstance, err error) (Installed, error) {
	if errs.KindOf(err) == errs.NotFound {
		return Installed{}, ErrInstanceNotFound
	} else if err != nil {
		return Installed{}, err
	}
	if p, err = s.openSettings(p); err != nil {
		return Installed{}, fmt.Errorf("plugin: environment of %s: %w", p.Manifest.Slug, err)
	}
	p.License = p.License.prepared()
	in, err := s.open(stored)
	return Installed{Package: p, Instance: in}, err
}

func (s *Service) open(stored StoredInstance) (Instance, error) {
	in := stored.Instance
	if stored.Sealed == "" {
		return in, nil
	}
	config, err := s.Configs.Open(stored.Sealed, in.ID)
	if err != nil {
		return Instance{}, fmt.Errorf("plugin: config of instance %s: %w", in.ID, err)
	}
	in.Config = config
	return in, nil
}

func (s *Service) seal(in Instance) StoredInstance {
	stored := StoredInstance{Instance: in}
	stored.Config = nil
	if in.Config != nil {
		stored.Sealed = s.Configs.Seal(in.Config, in.ID)
	}
	return stored
}
