package extension_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"stoa/internal/testkit"
)

const acme = testkit.Publisher("acme")

// idle returns that version of an external plugin that is disabled, because it lacks
// config, and so is not called when it is upgraded.
func idle(tb testing.TB, slug, version string) []byte {
	tb.Helper()
	return testkit.ExternalPlugin(tb, slug, map[string]any{
		"version": version, "configSchema": map[string]any{"key": map[string]any{"type": "string", "required": true}},
	})
}

// issuesOf returns "entry code" of every issue of an answer.
func issuesOf(tb testing.TB, res testkit.Response) (list []string) {
	tb.Helper()
	issues, _ := res.Get(tb, "error.details.issues").([]any)
	for _, one := range issues {
		issue, _ := one.(map[string]any)
		entry, _ := issue["entry"].(string)
		code, _ := issue["code"].(string)
		list = append(list, entry+" "+code)
	}
	return list
}

func TestSignedPackageTellsItsSigner(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.New(t, append(options, acme.Trusted)...)
		admin := a.Admin(t, "root").Access
		signedBy := func(res testkit.Response, status int) any {
			t.Helper()
			if res.Status != status {
				t.Fatalf("status %d, want %d\n%s", res.Status, status, res.Body)
			}
			data, _ := res.Get(t, "data").(map[string]any)
			return data["signedBy"]
		}
		number := func(v string) []byte { return idle(t, "pay", v) }

		if got := signedBy(a.Install(t, admin, "plugin", acme.Sign(t, number("1.0.0"))), 201); got != "acme" {
			t.Errorf("install: signedBy = %v", got)
		}
		for _, path := range []string{"/api/v1/admin/plugins/pay", extensions + "/plugin/pay"} {
			if got := signedBy(a.Do(t, testkit.Get(admin, path)), 200); got != "acme" {
				t.Errorf("%s: signedBy = %v", path, got)
			}
		}
		// An unsigned package may replace it, and a rollback brings the signer back.
		if got := signedBy(a.Install(t, admin, "plugin", number("1.1.0")), 200); got != nil {
			t.Errorf("upgrade: signedBy = %v", got)
		}
		if got := signedBy(a.Do(t, post(admin, "/api/v1/admin/plugins/pay/rollback")), 200); got != "acme" {
			t.Errorf("rollback: signedBy = %v", got)
		}
	})
}

func TestBrokenSignaturesAreRefused(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, acme.Trusted)
	admin := a.Admin(t, "root").Access
	m := testkit.InternalManifest("worker", "index.js")
	good := acme.Sign(t, testkit.PluginArchive(t, m, map[string]string{"index.js": "module.exports = async () => {}"}))
	for name, test := range map[string]struct {
		pkg  []byte
		want string
	}{
		"an unlisted file is refused": {
			testkit.WithEntry(t, good, testkit.Entry{Name: "extra.js", Body: "evil()"}), "extra.js bad_signature",
		},
		"a foreign key is refused": {
			testkit.Publisher("stranger").Sign(t, good), "stoa-signature.json untrusted_key",
		},
		"a changed byte is refused": {
			testkit.WithEntry(t, good, testkit.Entry{Name: "index.js", Body: "module.exports = async () => {;"}),
			"index.js bad_signature",
		},
		"a list that is none is refused": {
			testkit.WithEntry(t, good, testkit.Entry{Name: "stoa-signature.json", Body: "{}"}),
			"stoa-signature.json malformed",
		},
	} {
		res := a.Install(t, admin, "plugin", test.pkg)
		if res.Status != http.StatusBadRequest || res.Text(t, "error.code") != "INVALID_ARCHIVE" {
			t.Fatalf("%s: %d %s", name, res.Status, res.Body)
		}
		if got := issuesOf(t, res); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: issues %q, want %q", name, got, test.want)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(a.DataDir, "plugins")); err != nil || len(entries) > 0 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
	if res := a.Install(t, admin, "plugin", good); res.Status != http.StatusCreated {
		t.Errorf("the whole package: %d %s", res.Status, res.Body)
	}
}
