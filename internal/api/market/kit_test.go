package market_test

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"

	"stoa/internal/market/terms"
	"stoa/internal/testkit"
)

const acme = testkit.Publisher("acme")

// market is an App from which other stoas install, with the shop's usual products: bare is free, mail-pack is not.
type market struct {
	*testkit.App

	admin string
}

func newMarket(tb testing.TB, options ...testkit.Option) market {
	tb.Helper()
	a := testkit.NewShop(tb, append(options, acme.Trusted, testkit.AsMarket)...)
	return market{a, a.Admin(tb, "root").Access}
}

// plugin returns a signed plugin that asks for permissions.
func plugin(tb testing.TB, slug, version string, permissions ...string) []byte {
	tb.Helper()
	return acme.Sign(tb, testkit.ExternalPlugin(tb, slug, map[string]any{"version": version, "permissions": permissions}))
}

func (m market) publish(tb testing.TB, product string, pkg []byte) testkit.Response {
	tb.Helper()
	return m.Do(tb, testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/admin/products/" + product + "/package", Token: m.admin,
		Body: pkg, Header: http.Header{"Content-Type": {"application/zip"}},
	})
}

func (m market) mustPublish(tb testing.TB, product string, pkg []byte) {
	tb.Helper()
	if res := m.publish(tb, product, pkg); res.Status != http.StatusCreated {
		tb.Fatalf("publish = %d %s", res.Status, res.Body)
	}
}

func (m market) withdraw(tb testing.TB, product, version string) {
	tb.Helper()
	res := m.Do(tb, testkit.Request{
		Method: http.MethodDelete, Path: "/api/v1/admin/products/" + product + "/packages/" + version, Token: m.admin,
	})
	if res.Status != http.StatusOK {
		tb.Fatalf("withdraw = %d %s", res.Status, res.Body)
	}
}

// file returns a file with metadata; ok is false if there is none.
func (m market) file(tb testing.TB, role string, version int64) (content []byte, ok bool) {
	tb.Helper()
	res := m.Do(tb, testkit.Get("", terms.MetadataPath+terms.MetadataFile(role, version)))
	if res.Status == http.StatusNotFound {
		return nil, false
	}
	if res.Status != http.StatusOK {
		tb.Fatalf("%s = %d %s", role, res.Status, res.Body)
	}
	return res.Body, true
}

// repository is everything that a market signed, as a client of TUF reads and verifies it.
type repository struct {
	*trustedmetadata.TrustedMetadata

	custom map[string]terms.Custom // by target path
}

// read reads and verifies everything, from the first root on.
func (m market) read(tb testing.TB) repository {
	tb.Helper()
	must := func(what string, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatalf("%s: %v", what, err)
		}
	}
	first, _ := m.file(tb, terms.Root, 1)
	trusted, err := trustedmetadata.New(first)
	must("first root", err)
	trusted.RefTime = m.Clock.Now()
	for n := int64(2); ; n++ {
		next, ok := m.file(tb, terms.Root, n)
		if !ok {
			break
		}
		_, err := trusted.UpdateRoot(next)
		must("next root", err)
	}
	timestamp, _ := m.file(tb, terms.Timestamp, 0)
	_, err = trusted.UpdateTimestamp(timestamp)
	must("timestamp", err)
	snapshot, _ := m.file(tb, terms.Snapshot, trusted.Timestamp.Signed.Meta["snapshot.json"].Version)
	_, err = trusted.UpdateSnapshot(snapshot, false)
	must("snapshot", err)
	version := func(role string) int64 { return trusted.Snapshot.Signed.Meta[role+".json"].Version }
	top, _ := m.file(tb, terms.Targets, version(terms.Targets))
	_, err = trusted.UpdateTargets(top)
	must("targets", err)
	r := repository{trusted, make(map[string]terms.Custom)}
	for _, d := range trusted.Targets[terms.Targets].Signed.Delegations.Roles {
		slug, ok := terms.ProductOf(d.Name)
		if !ok || !d.Terminating || !slices.Equal(d.Paths, []string{slug + "/*"}) {
			tb.Fatalf("delegation %+v", d)
		}
		content, _ := m.file(tb, d.Name, version(d.Name))
		role, err := trusted.UpdateDelegatedTargets(content, d.Name, terms.Targets)
		must(d.Name, err)
		for path, f := range role.Signed.Targets {
			r.custom[path], err = terms.ParseCustom(*f.Custom)
			must(path, err)
		}
	}
	if got, want := len(trusted.Snapshot.Signed.Meta), len(trusted.Targets); got != want {
		tb.Errorf("the snapshot has %d roles, and there are %d", got, want)
	}
	return r
}

// packages returns the target paths of all packages, sorted.
func (r repository) packages() string { return strings.Join(slices.Sorted(maps.Keys(r.custom)), " ") }

// roles returns the roles of products.
func (r repository) roles() string {
	names := slices.Sorted(maps.Keys(r.Targets))
	return strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == terms.Targets }), " ")
}

// target returns what a role says of a file.
func (r repository) target(tb testing.TB, role, path string) *metadata.TargetFiles {
	tb.Helper()
	f := r.Targets[role].Signed.Targets[path]
	if f == nil {
		tb.Fatalf("%s has no %s", role, path)
	}
	return f
}

// download fetches a target, which must be the one that the metadata names.
func (m market) download(tb testing.TB, r repository, role, path, licenseKey string) testkit.Response {
	tb.Helper()
	f := r.target(tb, role, path)
	req := testkit.Get("", terms.TargetPath+terms.ServedAs(path, fmt.Sprintf("%x", []byte(f.Hashes["sha256"]))))
	if licenseKey != "" {
		req.Header = http.Header{"Authorization": {"License " + licenseKey}}
	}
	res := m.Do(tb, req)
	if res.Status == http.StatusOK {
		if err := f.VerifyLengthHashes(res.Body); err != nil {
			tb.Errorf("%s: %v", path, err)
		}
	}
	return res
}

// topLevel returns the content of a target that is no package.
func topLevel[T any](tb testing.TB, m market, r repository, name string) (v T) {
	tb.Helper()
	if err := json.Unmarshal(m.download(tb, r, terms.Targets, name, "").Body, &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// keys returns root keys by their numbers.
func keys(numbers ...byte) []ed25519.PrivateKey {
	list := make([]ed25519.PrivateKey, len(numbers))
	for i, n := range numbers {
		list[i] = testkit.RootKey(n)
	}
	return list
}

// mails returns the subjects of the mails about the end of the root.
func (m market) mails(tb testing.TB) (subjects []string) {
	tb.Helper()
	for _, one := range m.Mails(tb) {
		if strings.Contains(one.Subject, "root of the market") && strings.Contains(one.Text, "stoa market root renew") {
			subjects = append(subjects, one.To+": "+one.Subject)
		}
	}
	return subjects
}
