// Package tuftest makes markets for tests: signed metadata as another stoa publishes it, over HTTP, and
// everything that an attacker may do with it.
package tuftest

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"stoa/internal/extension"
	"stoa/internal/market/terms"
)

// Products names the keys of all roles of products in Market.Keys.
const Products = "products"

// Key signs metadata.
type Key struct {
	signer signature.Signer
	public *metadata.Key
}

// NewKey returns a new key.
func NewKey(tb testing.TB) Key {
	tb.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	signer, err := signature.LoadSigner(private, crypto.Hash(0))
	if err != nil {
		tb.Fatal(err)
	}
	public, err := metadata.KeyFromPublicKey(private.Public())
	if err != nil {
		tb.Fatal(err)
	}
	return Key{signer, public}
}

// Market is a market that a test can change. Its methods must not be called at the same time; requests
// may come at any time.
type Market struct {
	URL string
	Now func() time.Time

	// Keys are the keys that sign each role, and Thresholds how many signatures it needs, if more than
	// one. They take effect with NextRoot and Publish.
	Keys       map[string][]Key
	Thresholds map[string]int
	// Lives are how long roles are good, where that is not as agreed.
	Lives map[string]time.Duration

	Root      *metadata.Metadata[metadata.RootType]
	Timestamp *metadata.Metadata[metadata.TimestampType]
	Snapshot  *metadata.Metadata[metadata.SnapshotType]
	Targets   *metadata.Metadata[metadata.TargetsType]
	Roles     map[string]*metadata.Metadata[metadata.TargetsType] // of products, by slug

	tb      testing.TB
	mu      sync.Mutex
	files   map[string][]byte
	serve   map[string]http.HandlerFunc
	asked   []string
	stopped bool
}

// New returns a market called name, with all that a stoa needs of it published.
func New(tb testing.TB, name string, now func() time.Time) *Market {
	tb.Helper()
	m := &Market{
		tb: tb, Now: now, Keys: make(map[string][]Key), Thresholds: make(map[string]int),
		Lives: make(map[string]time.Duration), Roles: make(map[string]*metadata.Metadata[metadata.TargetsType]),
		files: make(map[string][]byte), serve: make(map[string]http.HandlerFunc),
	}
	for _, role := range []string{terms.Root, terms.Timestamp, terms.Snapshot, terms.Targets, Products} {
		m.Keys[role] = []Key{NewKey(tb)}
	}
	srv := httptest.NewServer(m)
	tb.Cleanup(srv.Close)
	m.URL = srv.URL
	m.Timestamp, m.Snapshot, m.Targets = metadata.Timestamp(), metadata.Snapshot(), metadata.Targets()
	m.Timestamp.Signed.Version, m.Snapshot.Signed.Version, m.Targets.Signed.Version = 0, 0, 0
	m.Describe(name)
	m.Target(terms.LicenseKeysFile, []byte(`{"keys":[]}`), nil)
	m.Target(terms.RecallsFile, terms.NoRecalls(), nil)
	m.NextRoot()
	m.Publish()
	return m
}

// Describe changes how the market calls itself. It takes effect with Publish.
func (m *Market) Describe(name string) {
	m.tb.Helper()
	about, err := json.Marshal(terms.Market{Name: name, URL: m.URL, PlatformID: "platform"})
	if err != nil {
		m.tb.Fatal(err)
	}
	m.Target(terms.MarketFile, about, nil)
}

// Target adds a target to the targets, and serves it.
func (m *Market) Target(path string, content []byte, custom *json.RawMessage) {
	m.tb.Helper()
	m.Targets.Signed.Targets[path] = m.target(path, content, custom)
}

func (m *Market) target(path string, content []byte, custom *json.RawMessage) *metadata.TargetFiles {
	sum := sha256.Sum256(content)
	m.Put(terms.TargetPath+terms.ServedAs(path, hex.EncodeToString(sum[:])), content)
	return &metadata.TargetFiles{
		Length: int64(len(content)), Hashes: metadata.Hashes{"sha256": sum[:]}, Custom: custom,
	}
}

// Custom returns what a market says of a version of a plugin.
func Custom(slug, version string, at time.Time) terms.Custom {
	return terms.Custom{
		Kind: extension.Plugin, Slug: slug, Version: version, PublishedAt: at.UTC().Truncate(time.Millisecond),
		Permissions: []string{}, Publisher: terms.Publisher{
			Name: "acme", Key: base64.StdEncoding.EncodeToString(make([]byte, ed25519.PublicKeySize)),
		},
	}
}

// Offer adds versions of a plugin to a product, which the plugin has its slug of. It takes effect with
// Publish.
func (m *Market) Offer(product string, versions ...string) {
	m.tb.Helper()
	for _, version := range versions {
		m.Carry(product, Custom(product, version, m.Now()), []byte("the archive of "+terms.PackageTarget(product, version)))
	}
}

// Carry adds a version of a package to a product, and serves its archive. It takes effect with Publish.
func (m *Market) Carry(product string, custom terms.Custom, archive []byte) {
	m.tb.Helper()
	raw, err := custom.Bytes()
	if err != nil {
		m.tb.Fatal(err)
	}
	path := terms.PackageTarget(product, custom.Version)
	m.role(product).Signed.Targets[path] = m.target(path, archive, (*json.RawMessage)(&raw))
	m.Put(terms.PackagePath+product+"/"+custom.Version, archive)
}

// role returns the role of a product, delegated to by the targets.
func (m *Market) role(product string) *metadata.Metadata[metadata.TargetsType] {
	if role := m.Roles[product]; role != nil {
		return role
	}
	role := metadata.Targets()
	role.Signed.Version = 0
	m.Roles[product] = role
	return role
}

// delegate makes the targets delegate to the roles of all products.
func (m *Market) delegate() {
	d := &metadata.Delegations{Keys: make(map[string]*metadata.Key)}
	ids := m.register(d.Keys, Products)
	for product := range m.Roles {
		d.Roles = append(d.Roles, metadata.DelegatedRole{
			Name: terms.RoleOf(product), KeyIDs: ids, Threshold: m.threshold(Products), Terminating: true,
			Paths: []string{terms.PathsOf(product)},
		})
	}
	m.Targets.Signed.Delegations = d
}

func (m *Market) threshold(role string) int { return max(m.Thresholds[role], 1) }

// register adds the keys of a role to keys and returns their ids.
func (m *Market) register(keys map[string]*metadata.Key, role string) (ids []string) {
	m.tb.Helper()
	for _, k := range m.Keys[role] {
		id, err := k.public.ID()
		if err != nil {
			m.tb.Fatal(err)
		}
		keys[id] = k.public
		ids = append(ids, id)
	}
	return ids
}

func (m *Market) expires(role string) time.Time {
	life, ok := m.Lives[role]
	if !ok {
		life = terms.Life(role)
	}
	return m.Now().UTC().Add(life).Truncate(time.Second)
}

// NextRoot publishes a root with the keys of now, signed by those and by the keys in by, which are
// those of the root before.
func (m *Market) NextRoot(by ...Key) {
	m.tb.Helper()
	root := metadata.Root(m.expires(terms.Root))
	if m.Root != nil {
		root.Signed.Version = m.Root.Signed.Version + 1
	}
	for _, role := range []string{terms.Root, terms.Timestamp, terms.Snapshot, terms.Targets} {
		root.Signed.Roles[role] = &metadata.Role{KeyIDs: m.register(root.Signed.Keys, role), Threshold: m.threshold(role)}
	}
	m.Root = root
	m.SignRoot(append(by, m.Keys[terms.Root]...)...)
}

// SignRoot publishes m.Root as it is, signed with some keys.
func (m *Market) SignRoot(by ...Key) {
	m.tb.Helper()
	m.Put(terms.MetadataPath+terms.MetadataFile(terms.Root, m.Root.Signed.Version), signed(m.tb, m.Root, by))
}

// Publish signs everything anew, with the next versions.
func (m *Market) Publish() {
	m.tb.Helper()
	m.delegate()
	for product := range m.Roles {
		m.SignRole(product)
	}
	m.SignTargets()
	m.SignSnapshot()
	m.SignTimestamp()
}

// SignRole publishes the next version of the role of a product.
func (m *Market) SignRole(product string) {
	m.tb.Helper()
	role := m.Roles[product]
	role.Signed.Version++
	role.Signed.Expires = m.expires(terms.RoleOf(product))
	m.Snapshot.Signed.Meta[terms.RoleOf(product)+".json"] = metadata.MetaFile(role.Signed.Version)
	m.Put(terms.MetadataPath+terms.MetadataFile(terms.RoleOf(product), role.Signed.Version),
		signed(m.tb, role, m.Keys[Products]))
}

// SignTargets publishes the next version of the targets.
func (m *Market) SignTargets() {
	m.tb.Helper()
	m.Targets.Signed.Version++
	m.Targets.Signed.Expires = m.expires(terms.Targets)
	m.Snapshot.Signed.Meta["targets.json"] = metadata.MetaFile(m.Targets.Signed.Version)
	m.Put(terms.MetadataPath+terms.MetadataFile(terms.Targets, m.Targets.Signed.Version),
		signed(m.tb, m.Targets, m.Keys[terms.Targets]))
}

// SignSnapshot publishes the next version of the snapshot.
func (m *Market) SignSnapshot() {
	m.tb.Helper()
	m.Snapshot.Signed.Version++
	m.Snapshot.Signed.Expires = m.expires(terms.Snapshot)
	m.Timestamp.Signed.Meta["snapshot.json"] = metadata.MetaFile(m.Snapshot.Signed.Version)
	m.Put(terms.MetadataPath+terms.MetadataFile(terms.Snapshot, m.Snapshot.Signed.Version),
		signed(m.tb, m.Snapshot, m.Keys[terms.Snapshot]))
}

// SignTimestamp publishes the next version of the timestamp.
func (m *Market) SignTimestamp() {
	m.tb.Helper()
	m.Timestamp.Signed.Version++
	m.Timestamp.Signed.Expires = m.expires(terms.Timestamp)
	m.Put(TimestampPath, signed(m.tb, m.Timestamp, m.Keys[terms.Timestamp]))
}

// TimestampPath is where the timestamp is.
const TimestampPath = terms.MetadataPath + "timestamp.json"

func signed[T metadata.Roles](tb testing.TB, m *metadata.Metadata[T], by []Key) []byte {
	tb.Helper()
	m.ClearSignatures()
	for _, k := range by {
		id, err := k.public.ID()
		if err != nil {
			tb.Fatal(err)
		}
		if hasSigned(m.Signatures, id) {
			continue
		}
		if _, err := m.Sign(k.signer); err != nil {
			tb.Fatal(err)
		}
	}
	raw, err := m.ToBytes(false)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func hasSigned(list []metadata.Signature, id string) bool {
	for _, s := range list {
		if s.KeyID == id {
			return true
		}
	}
	return false
}

// Fingerprint returns what the market is known by.
func (m *Market) Fingerprint() string {
	return terms.Fingerprint(m.File(terms.MetadataPath + "1.root.json"))
}

// File returns what is served at a path.
func (m *Market) File(path string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files[path]
}

// Put serves content at a path; nil removes it.
func (m *Market) Put(path string, content []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if content == nil {
		delete(m.files, path)
		return
	}
	m.files[path] = content
}

// Files returns all that is served, and Restore serves that again.
func (m *Market) Files() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[string][]byte, len(m.files))
	for path, content := range m.files {
		all[path] = content
	}
	return all
}

// Restore serves what Files returned before.
func (m *Market) Restore(files map[string][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files = files
}

// Serve answers requests for a path with h; nil ends that.
func (m *Market) Serve(path string, h http.HandlerFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h == nil {
		delete(m.serve, path)
		return
	}
	m.serve[path] = h
}

// Stop makes the market answer nothing, until Start.
func (m *Market) Stop() { m.set(true) }

// Start ends Stop.
func (m *Market) Start() { m.set(false) }

func (m *Market) set(stopped bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = stopped
}

// Asked returns the names of the files that were asked for since the last call.
func (m *Market) Asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

// ServeHTTP implements http.Handler.
func (m *Market) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.asked = append(m.asked, r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	content, ok := m.files[r.URL.Path]
	h, stopped := m.serve[r.URL.Path], m.stopped
	m.mu.Unlock()
	switch {
	case stopped:
		panic(http.ErrAbortHandler)
	case h != nil:
		h(w, r)
		return
	case !ok:
		http.NotFound(w, r)
		return
	}
	tag := fmt.Sprintf("%q", terms.Fingerprint(content)[:16])
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(content)
}
