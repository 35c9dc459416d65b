package terms_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension"
	"stoa/internal/market/terms"
)

func TestNamesOfMetadataAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		role    string
		version int64
		name    string
	}{
		{"root", 1, "1.root.json"},
		{"timestamp", 0, "timestamp.json"},
		{"snapshot", 1893456000, "1893456000.snapshot.json"},
		{"targets", 2, "2.targets.json"},
		{"p-mail-courier", 7, "7.p-mail-courier.json"},
	} {
		if got := terms.MetadataFile(tt.role, tt.version); got != tt.name {
			t.Errorf("MetadataFile(%s, %d) = %s, want %s", tt.role, tt.version, got, tt.name)
		}
		if role, version, ok := terms.ParseMetadataFile(tt.name); role != tt.role || version != tt.version || !ok {
			t.Errorf("ParseMetadataFile(%s) = %s, %d, %t", tt.name, role, version, ok)
		}
	}
	for _, name := range []string{
		"", "root.json", "0.root.json", "01.root.json", "+1.root.json", "-1.root.json", "1.root.json.json", "1.Root.json",
		"1.timestamp.json", "1.p-.json", "1.p-A.json", "1.p-a/b.json", "1.mail-courier.json", "1.p-a.json/..",
		"9223372036854775808.root.json", "1.p-" + strings.Repeat("a", 101) + ".json",
	} {
		if role, version, ok := terms.ParseMetadataFile(name); ok {
			t.Errorf("ParseMetadataFile(%q) = %s, %d", name, role, version)
		}
	}
}

func TestTargetsAreServedUnderTheirHash(t *testing.T) {
	t.Parallel()

	hash := strings.Repeat("0f", 32)
	for target, served := range map[string]string{
		"recalls.json":           hash + ".recalls.json",
		"mail-courier/1.2.0.zip": "mail-courier/" + hash + ".1.2.0.zip",
	} {
		if got := terms.ServedAs(target, hash); got != served {
			t.Errorf("ServedAs(%s) = %s, want %s", target, got, served)
		}
		if got, sum, ok := terms.ParseServed(served); got != target || sum != hash || !ok {
			t.Errorf("ParseServed(%s) = %s, %s, %t", served, got, sum, ok)
		}
	}
	for _, served := range []string{
		"", hash, hash + ".", "recalls.json", strings.ToUpper(hash) + ".recalls.json", "/" + hash + ".recalls.json",
		"a/../" + hash + ".recalls.json", "a//" + hash + ".1.0.0.zip", hash[1:] + ".recalls.json",
	} {
		if target, _, ok := terms.ParseServed(served); ok {
			t.Errorf("ParseServed(%q) = %s", served, target)
		}
	}
}

func TestPathsOfPackages(t *testing.T) {
	t.Parallel()

	if got := terms.PackageTarget("mail-courier", "1.2.0"); got != "mail-courier/1.2.0.zip" {
		t.Error(got)
	}
	if slug, version, ok := terms.ParsePackageTarget("mail-courier/1.2.0.zip"); slug != "mail-courier" || version != "1.2.0" || !ok {
		t.Errorf("%s %s %t", slug, version, ok)
	}
	for _, path := range []string{"", "a", "a/", "a/1.2.0", "a/1.2.zip", "a/b/1.2.0.zip", "A/1.2.0.zip", "/1.2.0.zip", "a/1.2.0.zip/"} {
		if slug, version, ok := terms.ParsePackageTarget(path); ok {
			t.Errorf("ParsePackageTarget(%q) = %s, %s", path, slug, version)
		}
	}
}

// A clock that is set back gives no version twice, nor does a database from a backup.
func TestVersionsOnlyRise(t *testing.T) {
	t.Parallel()

	now := time.Unix(1_900_000_000, 999)
	for last, want := range map[int64]int64{
		0: 1_900_000_000, 1_899_999_999: 1_900_000_000, 1_900_000_000: 1_900_000_001, 2_000_000_000: 2_000_000_001,
	} {
		if got := terms.NextVersion(last, now); got != want {
			t.Errorf("NextVersion(%d) = %d, want %d", last, got, want)
		}
	}
}

func custom() terms.Custom {
	least := "0.9.0"
	return terms.Custom{
		Kind: extension.Plugin, Slug: "courier", Version: "1.2.0", PublishedAt: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
		Permissions: []string{"orders:read"}, Paid: true, MinPlatform: &least,
		Publisher: terms.Publisher{Name: "acme", Key: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
	}
}

func TestCustomIsExactlyAsAgreed(t *testing.T) {
	t.Parallel()

	got, err := custom().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"plugin","slug":"courier","version":"1.2.0","permissions":["orders:read"],` +
		`"publisher":{"name":"acme","key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},"paid":true,"minPlatform":"0.9.0",` +
		`"publishedAt":"2030-01-02T03:04:05.000Z"}`
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Error(diff)
	}
	back, err := terms.ParseCustom(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(back, custom()); diff != "" {
		t.Error(diff)
	}
	plain := custom()
	plain.Permissions, plain.MinPlatform = nil, nil
	if got, err = plain.Bytes(); err != nil || !strings.Contains(string(got), `"permissions":[]`) ||
		!strings.Contains(string(got), `"minPlatform":null`) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestCustomThatSaysNonsenseIsRefused(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(*terms.Custom){
		"kind":      func(c *terms.Custom) { c.Kind = "game" },
		"slug":      func(c *terms.Custom) { c.Slug = "../x" },
		"version":   func(c *terms.Custom) { c.Version = "1" },
		"published": func(c *terms.Custom) { c.PublishedAt = time.Time{} },
		"publisher": func(c *terms.Custom) { c.Publisher.Name = "" },
		"key":       func(c *terms.Custom) { c.Publisher.Key = "AA==" },
		"platform":  func(c *terms.Custom) { least := "new"; c.MinPlatform = &least },
	} {
		c := custom()
		change(&c)
		raw, err := c.Bytes()
		if name == "published" {
			raw = []byte(strings.Replace(string(raw), "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00Z", 1))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := terms.ParseCustom(raw); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParseCustom(f *testing.F) {
	raw, err := custom().Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"kind":"plugin"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := terms.ParseCustom(raw)
		if err != nil {
			return
		}
		again, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := terms.ParseCustom(again); err != nil {
			t.Errorf("%s is accepted, and %s is not: %v", raw, again, err)
		}
	})
}

func FuzzParseNames(f *testing.F) {
	f.Add("1.p-a.json")
	f.Add("a/" + strings.Repeat("0f", 32) + ".1.0.0.zip")
	f.Fuzz(func(t *testing.T, name string) {
		if role, version, ok := terms.ParseMetadataFile(name); ok && terms.MetadataFile(role, version) != name {
			t.Errorf("%q is read as %s %d", name, role, version)
		}
		if target, hash, ok := terms.ParseServed(name); ok && terms.ServedAs(target, hash) != name {
			t.Errorf("%q is read as %s %s", name, target, hash)
		}
		if slug, version, ok := terms.ParsePackageTarget(name); ok && terms.PackageTarget(slug, version) != name {
			t.Errorf("%q is read as %s %s", name, slug, version)
		}
	})
}
