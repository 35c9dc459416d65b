package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"

	"stoa/internal/market/terms"
)

const (
	// maxRoots is how many new roots one check follows. A market signs a few in a year.
	maxRoots = 64
	// maxKeys bounds the keys of a root and of a role: each costs a signature to verify.
	maxKeys = 64
)

// client is one check of one market: the workflow of a TUF client (TUF 1.0, section 5) over what the
// database holds. It is not safe for concurrent use.
type client struct {
	fetcher *Fetcher
	market  Market // what the check finds out changes it
	files   Files  // held: whatever was verified takes the place of what was there
	now     time.Time

	kept     []string // products whose roles are held
	products []string // products that somebody looks at
	every    bool     // all versions of those are needed, not only the highest
	keys     bool     // the license keys are needed, if none are held yet
	served   *answer  // the timestamp, if it was asked for already

	offered map[string][]Package // of products, as far as the market has them

	trusted *trustedmetadata.TrustedMetadata
	renewed bool // a newer root was verified
}

// refresh brings all that is held up to date, or says why it could not. What it verified until then
// stays in c.files: a market cannot go back behind it.
//
// A file that is not there may have been replaced between two answers, so the whole is tried once more.
func (c *client) refresh(ctx context.Context) *fault {
	bad := c.verified(func() *fault { return c.once(ctx) })
	if bad != nil && errors.Is(bad.cause, errMissing) {
		c.market.ETag = ""
		bad = c.verified(func() *fault { return c.once(ctx) })
	}
	return bad
}

// verified runs what reads a market's metadata. go-tuf follows pointers that a JSON null leaves nil, so
// metadata that makes it panic is metadata that cannot be read.
func (c *client) verified(read func() *fault) (bad *fault) {
	defer func() {
		if p := recover(); p != nil {
			bad = unfitting(fmt.Errorf("go-tuf: %v", p), "its metadata cannot be read")
		}
	}()
	return read()
}

func (c *client) once(ctx context.Context) *fault {
	served, bad := c.askTimestamp(ctx)
	if bad != nil {
		return bad
	}
	if served.body != nil || c.rootEnded() {
		advanced, bad := c.followRoots(ctx)
		if bad != nil {
			return bad
		}
		if advanced { // the new root may name other keys than those that signed what was served
			if served, bad = c.get(ctx, terms.Timestamp, 0, ""); bad != nil {
				return bad
			}
		}
	}
	for _, step := range []func(context.Context) *fault{
		func(context.Context) *fault { return c.timestamp(served) }, c.snapshot, c.targets, c.describe,
		c.licenseKeys, c.roles,
	} {
		if bad := step(ctx); bad != nil {
			return bad
		}
	}
	return nil
}

func (c *client) askTimestamp(ctx context.Context) (answer, *fault) {
	if served := c.served; served != nil {
		c.served = nil
		return *served, nil
	}
	return c.get(ctx, terms.Timestamp, 0, c.market.ETag)
}

// get asks for a version of a role.
func (c *client) get(ctx context.Context, role string, version int64, etag string) (answer, *fault) {
	return c.fetcher.get(ctx, c.market.URL, terms.MetadataPath+terms.MetadataFile(role, version), terms.MaxSize(role),
		etag)
}

// hold keeps a file that was verified. If that is more than is held of a market, the last roles of products make room:
// they say nothing that cannot be asked for again.
func (c *client) hold(name string, content []byte) {
	c.files[name] = content
	for _, other := range slices.Backward(slices.Sorted(maps.Keys(c.files))) {
		if c.files.size() <= terms.MaxHeld {
			return
		}
		if _, is := terms.ProductOf(other); is {
			delete(c.files, other)
		}
	}
}

// root returns the root held, and trusts it.
func (c *client) root() *fault {
	trusted, err := trustedmetadata.New(c.files[terms.Root])
	if err != nil {
		return unfitting(err, "its root is not signed by its own keys")
	}
	trusted.RefTime = c.now
	c.trusted = trusted
	return c.sane()
}

// sane refuses roots that this client cannot work with.
func (c *client) sane() *fault {
	root := c.trusted.Root.Signed
	if !root.ConsistentSnapshot {
		return unfitting(nil, "its root promises no consistent snapshots")
	}
	if len(root.Keys) > maxKeys {
		return unfitting(nil, "its root has more than %d keys", maxKeys)
	}
	for name, role := range root.Roles {
		if role == nil || len(role.KeyIDs) > maxKeys {
			return unfitting(nil, "its root has no usable role %.40s", name)
		}
	}
	return nil
}

// rootEnded reports whether the root held has expired, or cannot be read.
func (c *client) rootEnded() bool {
	return c.root() != nil || c.trusted.Root.Signed.IsExpired(c.now)
}

// followRoots verifies each newer root by the one before, up to the newest one.
func (c *client) followRoots(ctx context.Context) (advanced bool, bad *fault) {
	if bad := c.root(); bad != nil {
		return false, bad
	}
	for range maxRoots {
		next := c.trusted.Root.Signed.Version + 1
		got, bad := c.get(ctx, terms.Root, next, "")
		if bad != nil && errors.Is(bad.cause, errMissing) {
			return advanced, nil
		} else if bad != nil {
			return advanced, bad
		}
		if _, err := c.trusted.UpdateRoot(got.body); err != nil {
			return advanced, misfitOf(err, terms.MetadataFile(terms.Root, next))
		}
		if bad := c.sane(); bad != nil {
			return advanced, bad
		}
		c.hold(terms.Root, got.body)
		advanced, c.renewed = true, true
	}
	return advanced, unfitting(nil, "it has more than %d new roots", maxRoots)
}

// timestamp verifies the timestamp that was served; none if it is the one that is held.
//
// The one held guards against rollback, unless its keys were rotated.
func (c *client) timestamp(served answer) *fault {
	if bad := c.root(); bad != nil { // again: nothing else may be loaded yet
		return bad
	}
	if c.trusted.Root.Signed.IsExpired(c.now) {
		return &fault{ended, "its root has expired", nil}
	}
	c.forgetRotated()
	if held := c.files[terms.Timestamp]; held != nil {
		_, _ = c.trusted.UpdateTimestamp(held) // it may have expired, and is loaded all the same
	}
	if served.body == nil {
		if c.trusted.Timestamp == nil {
			return unfitting(nil, "its timestamp is not signed by the keys of its root")
		}
		return c.stillGood()
	}
	_, err := c.trusted.UpdateTimestamp(served.body)
	if _, same := errors.AsType[*metadata.ErrEqualVersionNumber](err); same {
		return c.stillGood()
	} else if err != nil {
		return misfitOf(err, "timestamp.json")
	}
	if c.trusted.Timestamp.Signed.Meta["snapshot.json"] == nil {
		return unfitting(nil, "timestamp.json names no snapshot")
	}
	c.hold(terms.Timestamp, served.body)
	c.market.ETag, c.market.TimestampUntil = served.etag, c.trusted.Timestamp.Signed.Expires
	// A timestamp that was not seen before shows that the market is alive: so the clock is right now,
	// even if it once was ahead.
	c.market.SeenAt = c.now
	return nil
}

// forgetRotated lets go of timestamp and snapshot if the root names other keys by now than those that
// signed one of them: the market starts anew, which heals versions that a thief of the old keys drove up
// (TUF 1.0, 5.3.11).
func (c *client) forgetRotated() {
	timestamp, snapshot := c.files[terms.Timestamp], c.files[terms.Snapshot]
	if timestamp == nil && snapshot == nil ||
		signedBy[metadata.TimestampType](c.trusted.Root, terms.Timestamp, timestamp) &&
			(snapshot == nil || signedBy[metadata.SnapshotType](c.trusted.Root, terms.Snapshot, snapshot)) {
		return
	}
	delete(c.files, terms.Timestamp)
	delete(c.files, terms.Snapshot)
	c.market.TimestampUntil, c.market.ETag = time.Time{}, ""
}

func signedBy[T metadata.Roles](root *metadata.Metadata[metadata.RootType], role string, content []byte) bool {
	m, err := new(metadata.Metadata[T]).FromBytes(content)
	return err == nil && root.VerifyDelegate(role, m) == nil
}

// stillGood judges the timestamp held at the latest time that the clock ever showed: whoever sets it
// back makes nothing good again.
func (c *client) stillGood() *fault {
	if expired(c.trusted.Timestamp.Signed.Expires, later(c.now, c.market.SeenAt)) {
		return &fault{ended, reasonExpired, nil}
	}
	return nil
}

// snapshot verifies the snapshot that the timestamp names. The one held guards against rollback.
func (c *client) snapshot(ctx context.Context) *fault {
	if held := c.files[terms.Snapshot]; held != nil {
		if _, err := c.trusted.UpdateSnapshot(held, true); err == nil {
			return nil
		}
	}
	version := c.trusted.Timestamp.Signed.Meta["snapshot.json"].Version
	got, bad := c.get(ctx, terms.Snapshot, version, "")
	if bad != nil {
		return bad
	}
	if _, err := c.trusted.UpdateSnapshot(got.body, false); err != nil {
		return misfitOf(err, terms.MetadataFile(terms.Snapshot, version))
	}
	c.hold(terms.Snapshot, got.body)
	return nil
}

// targets verifies the version of the targets that the snapshot names.
func (c *client) targets(ctx context.Context) *fault {
	if good, bad := c.heldIsGood(terms.Targets, terms.Root); good || bad != nil {
		return bad
	}
	got, bad := c.named(ctx, terms.Targets)
	if bad != nil {
		return bad
	}
	if bad := c.trust(terms.Targets, terms.Root, got.body); bad != nil {
		return bad
	}
	c.hold(terms.Targets, got.body)
	return nil
}

// heldIsGood verifies the role held, if it is the version that the snapshot names.
func (c *client) heldIsGood(role, by string) (good bool, bad *fault) {
	if c.trusted.Snapshot.Signed.Meta[role+".json"] == nil {
		return false, unfitting(nil, "its snapshot does not name %.120s.json", role)
	}
	held := c.files[role]
	if held == nil {
		return false, nil
	}
	_, err := c.trusted.UpdateDelegatedTargets(held, role, by)
	return err == nil, nil
}

// named asks for the version of a role that the snapshot names.
func (c *client) named(ctx context.Context, role string) (answer, *fault) {
	return c.get(ctx, role, c.trusted.Snapshot.Signed.Meta[role+".json"].Version, "")
}

// trust verifies a version of a role that was served.
func (c *client) trust(role, by string, content []byte) *fault {
	if _, err := c.trusted.UpdateDelegatedTargets(content, role, by); err != nil {
		return misfitOf(err, terms.MetadataFile(role, c.trusted.Snapshot.Signed.Meta[role+".json"].Version))
	}
	return nil
}

// misfitOf translates an error of go-tuf about a file.
func misfitOf(err error, file string) *fault {
	file = fmt.Sprintf("%.120s", file)
	if _, is := errors.AsType[*metadata.ErrExpiredMetadata](err); is {
		return &fault{ended, file + " has expired", err}
	}
	if _, is := errors.AsType[*metadata.ErrBadVersionNumber](err); is {
		return unfitting(err, "%s has another version than it should, or an older one than before", file)
	}
	if _, is := errors.AsType[*metadata.ErrLengthOrHashMismatch](err); is {
		return unfitting(err, "%s has other contents than its market signed", file)
	}
	if _, is := errors.AsType[*metadata.ErrUnsignedMetadata](err); is {
		return unfitting(err, "%s is not signed by the keys that should have signed it", file)
	}
	return unfitting(err, "%s cannot be read, or contradicts what the market signed before", file)
}

// goodUntil returns the first end of what the last refresh verified.
func (c *client) goodUntil() time.Time {
	first := c.trusted.Root.Signed.Expires
	for _, end := range []time.Time{c.trusted.Timestamp.Signed.Expires, c.trusted.Snapshot.Signed.Expires} {
		if end.Before(first) {
			first = end
		}
	}
	for role := range maps.Values(c.trusted.Targets) {
		if role.Signed.Expires.Before(first) {
			first = role.Signed.Expires
		}
	}
	return first
}
