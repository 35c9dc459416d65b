package origin

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"stoa/internal/market/terms"
)

// signed returns the file with metadata that keys signed.
func signed[T metadata.Roles](m *metadata.Metadata[T], keys ...ed25519.PrivateKey) ([]byte, error) {
	m.ClearSignatures()
	for _, key := range keys {
		signer, err := signature.LoadSigner(key, crypto.Hash(0))
		if err != nil {
			return nil, fmt.Errorf("market: %w", err)
		}
		if _, err := m.Sign(signer); err != nil {
			return nil, fmt.Errorf("market: %w", err)
		}
	}
	return m.ToBytes(false)
}

// keyOf returns a public key in TUF's form, with its id.
func keyOf(public ed25519.PublicKey) (*metadata.Key, string, error) {
	key, err := metadata.KeyFromPublicKey(public)
	if err != nil {
		return nil, "", fmt.Errorf("market: %w", err)
	}
	id, err := key.ID()
	return key, id, err
}

// ends returns when metadata of a role ends that is signed now. TUF's times are whole seconds.
func ends(role string, now time.Time) time.Time {
	return now.Add(terms.Life(role)).UTC().Truncate(time.Second)
}

// targets returns the files of a role by their paths.
type targets map[string]*metadata.TargetFiles

func (ts targets) add(path string, length int64, hash string, custom []byte) error {
	sum, err := hex.DecodeString(hash)
	if err != nil {
		return fmt.Errorf("market: the hash of %s: %w", path, err)
	}
	f := &metadata.TargetFiles{Length: length, Hashes: metadata.Hashes{"sha256": sum}}
	if custom != nil {
		raw := json.RawMessage(custom)
		f.Custom = &raw
	}
	ts[path] = f
	return nil
}

// ofProduct returns the targets of a product's role.
func ofProduct(offers []Offer) (targets, error) {
	ts := make(targets, len(offers))
	for _, o := range offers {
		custom, err := o.custom().Bytes()
		if err == nil {
			err = ts.add(terms.PackageTarget(o.ProductSlug, o.Version), o.Size, o.ZipHash, custom)
		}
		if err != nil {
			return nil, err
		}
	}
	return ts, nil
}

// custom returns what metadata says of a package.
func (o Offer) custom() terms.Custom {
	c := terms.Custom{
		Kind: o.Kind, Slug: o.Slug, Version: o.Version, PublishedAt: o.PublishedAt, Permissions: o.Needs.Permissions,
		Publisher: terms.Publisher{Name: o.SignedBy, Key: o.SignerKey}, Paid: o.Paid,
	}
	if o.Needs.MinPlatform != "" {
		c.MinPlatform = &o.Needs.MinPlatform
	}
	return c
}

// says returns a digest of targets, and of the roles that they delegate to.
func (ts targets) says(roles []string) string {
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(ts)) {
		f := ts[path]
		fmt.Fprintf(sum, "%s %d %x\n", path, f.Length, []byte(f.Hashes["sha256"]))
		if f.Custom != nil {
			sum.Write(*f.Custom)
		}
	}
	for _, role := range roles {
		fmt.Fprintf(sum, "\nrole %s", role)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// delegations returns those to the roles of products, each of which the key signs and answers alone for its paths.
func delegations(public ed25519.PublicKey, slugs []string) (*metadata.Delegations, error) {
	key, id, err := keyOf(public)
	if err != nil {
		return nil, err
	}
	d := &metadata.Delegations{Keys: map[string]*metadata.Key{id: key}, Roles: make([]metadata.DelegatedRole, len(slugs))}
	for i, slug := range slugs {
		d.Roles[i] = metadata.DelegatedRole{
			Name: terms.RoleOf(slug), KeyIDs: []string{id}, Threshold: 1, Terminating: true,
			Paths: []string{terms.PathsOf(slug)},
		}
	}
	return d, nil
}

// targetsFile returns the file of a role with targets.
func targetsFile(
	role string, ts targets, to *metadata.Delegations, version int64, now time.Time, key ed25519.PrivateKey,
) ([]byte, error) {
	m := metadata.Targets(ends(role, now))
	m.Signed.Version, m.Signed.Targets, m.Signed.Delegations = version, ts, to
	return signed(m, key)
}

// snapshotFile returns the file with the versions of targets and of the roles of products.
func snapshotFile(versions map[string]int64, version int64, now time.Time, key ed25519.PrivateKey) ([]byte, error) {
	m := metadata.Snapshot(ends(terms.Snapshot, now))
	m.Signed.Version = version
	m.Signed.Meta = make(map[string]*metadata.MetaFiles, len(versions))
	for role, v := range versions {
		m.Signed.Meta[role+".json"] = metadata.MetaFile(v)
	}
	return signed(m, key)
}

// timestampFile returns the file with the version of the snapshot.
func timestampFile(snapshot, version int64, now time.Time, key ed25519.PrivateKey) ([]byte, error) {
	m := metadata.Timestamp(ends(terms.Timestamp, now))
	m.Signed.Version = version
	m.Signed.Meta = map[string]*metadata.MetaFiles{terms.Snapshot + ".json": metadata.MetaFile(snapshot)}
	return signed(m, key)
}
