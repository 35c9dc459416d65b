package plugin

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"stoa/internal/errs"
)

// Match says whether a change may be made to an instance of that version: a
// client's If-Match. nil matches every version.
type Match func(version int64) bool

func (m Match) check(version int64) error {
	if m != nil && !m(version) {
		return ErrStale
	}
	return nil
}

// Instances returns a package's instances, oldest first, and how many there are
// on all pages. The error is ErrNotFound if there is no such package.
func (s *Service) Instances(ctx context.Context, slug string, page Page) ([]Installed, int, error) {
	p, err := live(ctx, s.Store, slug)
	if err != nil {
		return nil, 0, err
	}
	stored, total, err := s.Store.ListInstances(ctx, slug, page)
	if err != nil {
		return nil, 0, err
	}
	list := make([]Installed, len(stored))
	for i := range stored {
		if list[i], err = s.opened(p, stored[i], nil); err != nil {
			return nil, 0, err
		}
	}
	return list, total, nil
}

// CreateInstance adds an instance to a package. Without a say it is enabled and
// has the permissions that the default instance has: what an administrator
// consented to for this package.
//
// If there is an instance with input.ID already, it is returned as it is: an
// attempt before this one created it.
//
// The error is ErrNotFound for an unknown package, VALIDATION_ERROR with every
// fault of the input (a required config field that is missing is one unless the
// instance is to be disabled), and ErrKeyDefault, ErrKeyTaken or ErrKeyUsed for a
// key that the package has or had.
func (s *Service) CreateInstance(ctx context.Context, slug string, input Input) (Installed, error) {
	var created Installed
	err := s.Store.InTx(ctx, func(st Store) error {
		p, err := live(ctx, st, slug)
		if err != nil {
			return err
		}
		if created, err = s.in(st).ByID(ctx, slug, input.ID); errs.KindOf(err) != errs.NotFound {
			return err
		}
		_, first, err := st.FindByKey(ctx, slug, DefaultInstance)
		if err != nil {
			return err
		}
		var faults errs.Issues
		in := s.newInstance(p, input.key(&faults))
		in.ID = cmp.Or(input.ID, in.ID)
		in.Granted = first.Granted
		input.apply(p.Manifest, &in, &faults)
		if err := validation(faults); err != nil {
			return err
		}
		if err := checkKey(ctx, st, slug, in.Key); err != nil {
			return err
		}
		created = Installed{Package: p, Instance: in}
		if err := st.CreateInstance(ctx, s.seal(in)); err != nil {
			return err
		}
		return s.recordInstance(ctx, st, Instance{}, in)
	})
	if err != nil {
		return Installed{}, err
	}
	return created, nil
}

func checkKey(ctx context.Context, st Store, slug, key string) error {
	if key == DefaultInstance {
		return ErrKeyDefault
	}
	state, err := st.KeyState(ctx, slug, key)
	switch {
	case err != nil:
		return err
	case state == KeyTaken:
		return ErrKeyTaken
	case state == KeyDeleted:
		return ErrKeyUsed
	}
	return nil
}

// UpdateInstance changes what the input names: enabled, config (replaced as a
// whole, except that a secret field given as "" keeps its value), granted
// permissions. The running instance is stopped if it is disabled or configured
// anew.
//
// The error is errs.NotFound for an unknown package or instance, ErrStale if
// match refuses its version, and VALIDATION_ERROR with every fault of the input.
func (s *Service) UpdateInstance(ctx context.Context, slug, id string, input Input, match Match) (Installed, error) {
	return s.change(ctx, slug, id, match, func(m Manifest, in *Instance) error {
		var faults errs.Issues
		input.apply(m, in, &faults)
		return validation(faults)
	})
}

// DeleteInstance deletes an instance: it is disabled, and its key is never used
// again. The errors are those of UpdateInstance, and ErrDefaultInstance for the
// default instance.
func (s *Service) DeleteInstance(ctx context.Context, slug, id string, match Match) error {
	_, err := s.change(ctx, slug, id, match, func(_ Manifest, in *Instance) error {
		if in.Key == DefaultInstance {
			return ErrDefaultInstance
		}
		in.Enabled, in.DeletedAt = false, s.now()
		return nil
	})
	return err
}

// change applies fn to an instance, in one transaction that has locked the
// package, and stops what ran with the state before.
func (s *Service) change(ctx context.Context, slug, id string, match Match, fn func(Manifest, *Instance) error) (Installed, error) {
	var changed Installed
	var stop bool
	err := s.Store.InTx(ctx, func(st Store) error {
		p, err := live(ctx, st, slug)
		if err != nil {
			return err
		}
		found, err := s.in(st).Instance(ctx, slug, id)
		if err != nil {
			return err
		}
		in := found.Instance
		if err := match.check(in.Version); err != nil {
			return err
		}
		if err := fn(p.Manifest, &in); err != nil {
			return err
		}
		if in.same(found.Instance) {
			changed, stop = found, false
			return nil
		}
		in.Version++
		in.UpdatedAt = s.now()
		changed, stop = Installed{Package: p, Instance: in}, true
		if err := st.UpdateInstance(ctx, s.seal(in)); err != nil {
			return err
		}
		return s.recordInstance(ctx, st, found.Instance, in)
	})
	if err != nil {
		return Installed{}, err
	}
	if stop {
		s.stop(id)
	}
	return changed, nil
}

// same reports whether a change changed nothing: then the version stays, and
// what runs goes on running.
func (in Instance) same(was Instance) bool {
	return in.Enabled == was.Enabled && bytes.Equal(in.Config, was.Config) &&
		slices.Equal(in.Granted, was.Granted) && in.DeletedAt.Equal(was.DeletedAt)
}

// in returns the service inside a transaction.
func (s *Service) in(st Store) *Service {
	c := *s
	c.Store = st
	return &c
}

// Instance returns an instance. The error is errs.NotFound for an unknown
// package or instance.
func (s *Service) Instance(ctx context.Context, slug, id string) (Installed, error) {
	in, err := s.ByID(ctx, slug, id)
	if errs.KindOf(err) == errs.NotFound {
		return Installed{}, ErrInstanceNotFound
	}
	return in, err
}
