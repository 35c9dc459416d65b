package plugin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
)

// Match reports whether a change may be made to an instance of that version, as a
// client's If-Match says. nil matches every version.
type Match func(version int64) bool

func (m Match) check(version int64) error {
	if m != nil && !m(version) {
		return ErrStale
	}
	return nil
}

// InstanceQuery selects instances of a package. Empty fields match every instance.
type InstanceQuery struct {
	// Search is part of a key or of an installation id, ignoring case. Of an id, at least four
	// characters.
	Search string
	// Sort is one of InstanceSorts; empty means the oldest first, those of the same moment by key.
	Sort string

	Limit, Offset int
}

// InstanceSorts are the orders of lists of instances; "-" stands for descending.
var InstanceSorts = []string{"created", "-created", "key", "-key", "updated", "-updated"}

// Issues returns what is wrong with q.
func (q InstanceQuery) Issues() (is errs.Issues) {
	if !text.Printable(q.Search, text.Short) {
		is.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", text.Short)
	}
	is.OneOf("sort", q.Sort, InstanceSorts...)
	return is
}

// Instances returns one page of the instances of a package that match q, in its order, and
// how many there are on all pages. It returns VALIDATION_ERROR for a query with Issues, and
// ErrNotFound if there is no such package.
func (s *Service) Instances(ctx context.Context, slug string, q InstanceQuery) ([]Installed, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	p, err := live(ctx, s.Store, slug)
	if err != nil {
		return nil, 0, err
	}
	stored, total, err := s.Store.ListInstances(ctx, slug, q)
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

// InstallationID returns the installation id of a seed: always the same for one
// seed, another for each other. It is empty for an empty seed.
func InstallationID(seed string) string {
	if seed == "" {
		return ""
	}
	return uuid.NewSHA1(installationSpace, []byte(seed)).String()
}

// installationSpace keeps ids made from seeds apart from other name-based UUIDs. It
// must never change.
var installationSpace = uuid.MustParse("0b6f2f0e-5d0c-4c53-9d67-6f6a1f8f2a51")

// CreateInstance adds an instance to a package. Unless the input says otherwise, it
// is enabled and has the permissions of the default instance: those an
// administrator granted this package.
//
// If there is an instance with input.ID already, it is returned unchanged: an
// earlier attempt of the same request created it.
//
// The error is ErrNotFound for an unknown package; VALIDATION_ERROR with every
// fault of the input, among them required config that is missing unless the
// instance is created disabled; and ErrKeyDefault, ErrKeyTaken or ErrKeyUsed for a
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
		in := s.newInstance(ctx, p, input.key(&faults))
		in.ID = cmp.Or(input.ID, in.ID)
		in.likeFirst(ctx, Installed{Package: p, Instance: first.Instance})
		given := in.Granted
		input.apply(p.Manifest, &in, &faults)
		if err := cmp.Or(checkConsent(ctx, given, in.Granted), config.Validation("config", faults)); err != nil {
			return err
		}
		if err := checkKey(ctx, st, slug, in.Key); err != nil {
			return err
		}
		created = Installed{Package: p, Instance: in}
		stored := s.seal(in)
		if err := st.CreateInstance(ctx, stored); err != nil {
			return err
		}
		then := s.newEffects()
		then.begins(p, stored)
		if err := then.record(ctx, st); err != nil {
			return err
		}
		return s.recordInstance(ctx, st, Instance{}, in)
	})
	if err != nil {
		return Installed{}, err
	}
	s.start(ctx, slug, created.Instance.ID)
	return created, nil
}

// likeFirst gives an instance the permissions of the default one that the caller may give. Others wait, and so does
// what waits there.
func (in *Instance) likeFirst(ctx context.Context, first Installed) {
	all := first.Permissions()
	in.Granted = consented(ctx, all)
	in.Undecided = withheld(ctx, append(all, first.Undecided()...))
}

// newInstance returns an enabled instance with all permissions that p declares and the caller may give. Others wait.
func (s *Service) newInstance(ctx context.Context, p Package, key string) Instance {
	now := s.now()
	return Instance{
		ID: uuid.NewString(), Slug: p.Manifest.Slug, Key: key, Enabled: true, Enabling: 1,
		Granted: consented(ctx, p.Manifest.Permissions), Undecided: withheld(ctx, p.Manifest.Permissions),
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
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
// permissions. If anything changed, what runs of the instance is stopped, and that of an
// enabled one is started.
//
// The error is errs.NotFound for an unknown package or instance, ErrStale if
// match refuses its version, and VALIDATION_ERROR with every fault of the input.
func (s *Service) UpdateInstance(ctx context.Context, slug, id string, input Input, match Match) (Installed, error) {
	return s.change(ctx, slug, id, match, func(m Manifest, in *Instance) error {
		var faults errs.Issues
		before := in.Granted
		input.apply(m, in, &faults)
		if !manifest.Absent(input.Granted) {
			decide(ctx, m, in)
		}
		return cmp.Or(checkConsent(ctx, before, in.Granted), config.Validation("config", faults))
	})
}

// Grant lets the default instance of a package have those of the permissions that it declares, besides those that it
// has. The errors are those of UpdateInstance.
func (s *Service) Grant(ctx context.Context, slug string, permissions []string) error {
	in, err := s.ByKey(ctx, slug, DefaultInstance)
	if err != nil {
		return err
	}
	has := in.Instance.Granted
	more := slices.DeleteFunc(missingFrom(has, permissions), func(name string) bool {
		return !slices.Contains(in.Package.Manifest.Permissions, name)
	})
	if len(more) == 0 {
		return nil
	}
	granted, err := json.Marshal(slices.Concat(has, more))
	if err != nil {
		return err
	}
	_, err = s.UpdateInstance(ctx, slug, in.Instance.ID, Input{Granted: granted}, nil)
	return err
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

// change applies fn to an instance in a transaction that has locked the package, and
// then stops what runs with the old state.
func (s *Service) change(
	ctx context.Context, slug, id string, match Match, fn func(Manifest, *Instance) error,
) (Installed, error) {
	var changed Installed
	var stop bool
	err := s.Store.InTx(ctx, func(st Store) error {
		p, err := live(ctx, st, slug)
		if err != nil {
			return err
		}
		found, err := s.in(st).ByID(ctx, slug, id)
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
		stored := s.seal(in)
		if err := st.UpdateInstance(ctx, stored); err != nil {
			return err
		}
		if err := s.queueChange(ctx, st, p, found.Instance, stored); err != nil {
			return err
		}
		return s.recordInstance(ctx, st, found.Instance, in)
	})
	if err != nil {
		return Installed{}, err
	}
	if stop {
		s.stop(id)
		s.start(ctx, slug, id)
	}
	return changed, nil
}

// queueChange records the hooks and events of the change of an instance from was to in.
func (s *Service) queueChange(ctx context.Context, st Store, p Package, was Instance, in StoredInstance) error {
	then := s.newEffects()
	switch {
	case !in.DeletedAt.IsZero():
		in.Enabled = was.Enabled
		then.ends(p, in)
	case in.Enabled && !was.Enabled:
		then.enables(p, in)
	case !in.Enabled && was.Enabled:
		then.disables(p, in)
	}
	return then.record(ctx, st)
}

// same reports whether a change changed nothing. Then the version stays, and what
// runs keeps running.
func (in Instance) same(was Instance) bool {
	return in.Enabled == was.Enabled && bytes.Equal(in.Config, was.Config) &&
		slices.Equal(in.Granted, was.Granted) && slices.Equal(in.Undecided, was.Undecided) &&
		in.DeletedAt.Equal(was.DeletedAt)
}
