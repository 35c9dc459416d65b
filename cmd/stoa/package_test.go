package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/testkit/ziptest"
)

// inFolder is a folder in which commands are run.
type inFolder struct {
	testing.TB

	dir string
}

func (f inFolder) path(name string) string { return filepath.Join(f.dir, name) }

// stoa runs a command and returns its exit code and what it prints.
func (f inFolder) stoa(args ...string) (code int, out, errOut string) {
	f.Helper()
	var o, e bytes.Buffer
	code = run(f.Context(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// keygen makes a key in the file with that name and returns the public one.
func (f inFolder) keygen(name string) string {
	f.Helper()
	code, out, errOut := f.stoa("package", "keygen", f.path(name))
	if code != exitOK {
		f.Fatal(errOut)
	}
	return strings.TrimSpace(out)
}

func (f inFolder) write(name string, content []byte) string {
	f.Helper()
	if err := os.WriteFile(f.path(name), content, 0o600); err != nil {
		f.Fatal(err)
	}
	return f.path(name)
}

func TestPackagesAreSignedAndVerified(t *testing.T) { //nolint:tparallel // each step needs the one before
	t.Parallel()

	f := inFolder{t, t.TempDir()}
	public := f.keygen("key.pem")
	other := f.keygen("other.pem")
	if info, err := os.Stat(f.path("key.pem")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v; want it private", info.Mode(), err)
	}
	for name, entries := range map[string][]ziptest.Entry{
		"at the top": {
			{Name: "manifest.json", Body: "{}"},
			{Name: "lib/a.js", Body: "1"},
			{Name: "LICENSE", Store: true},
		},
		"in a folder":     {{Name: "p/"}, {Name: "p/manifest.json", Body: "{}"}, {Name: "p/lib/a.js", Body: "1"}},
		"of another kind": {{Name: "theme.json", Body: "{}"}, {Name: "style.css", Body: "1"}},
		"packed on a Mac": {{Name: "manifest.json", Body: "{}"}, {Name: ".DS_Store", Body: "x"}, {Name: "__MACOSX/._a"}},
		"with a manifest": {{Name: "theme.json", Body: "{}"}, {Name: "lib/manifest.json", Body: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := inFolder{t, f.dir}
			pkg := f.path("p.zip")
			f.write("p.zip", ziptest.Build(t, entries...))
			for _, key := range []string{"other.pem", "key.pem"} { // the second replaces the first
				if code, _, errOut := f.stoa("package", "sign", "--key", f.path(key), pkg); code != exitOK {
					t.Fatal(errOut)
				}
			}
			code, out, errOut := f.stoa("package", "verify", "--trusted-keys", "me="+public, pkg)
			if code != exitOK || !strings.Contains(out, "signed by me, key "+public) {
				t.Errorf("verify: %d %s%s", code, out, errOut)
			}
			code, out, errOut = f.stoa("package", "verify", "--trusted-keys", "other="+other, pkg)
			if code != exitFailed || out != "" || !strings.Contains(errOut, public+", which is not trusted") {
				t.Errorf("verify with another key: %d %s%s", code, out, errOut)
			}
		})
	}
}

func TestVerifyFailsWithoutATrueSignature(t *testing.T) {
	t.Parallel()

	f := inFolder{t, t.TempDir()}
	public := f.keygen("key.pem")
	pkg := f.write("p.zip", ziptest.Build(t,
		ziptest.Entry{Name: "manifest.json", Body: "{}"}, ziptest.Entry{Name: "a.js"}))
	verify := func(name string) string {
		code, out, errOut := f.stoa("package", "verify", "--trusted-keys", "me="+public, name)
		if code != exitFailed || out != "" {
			t.Errorf("verify %s: %d %s", name, code, out)
		}
		return errOut
	}
	if got := verify(pkg); !strings.Contains(got, "is not signed") {
		t.Error(got)
	}
	code, _, errOut := f.stoa("package", "sign", "--key", f.path("key.pem"), "--out", f.path("s.zip"), pkg)
	if code != exitOK {
		t.Fatal(errOut)
	}
	if got := verify(pkg); !strings.Contains(got, "is not signed") {
		t.Errorf("--out changed the original: %s", got)
	}
	signature := entryOf(t, f.path("s.zip"), "stoa-signature.json")
	changed := f.write("c.zip", ziptest.Build(t, ziptest.Entry{Name: "manifest.json", Body: "[]"},
		ziptest.Entry{Name: "b.js"}, ziptest.Entry{Name: "stoa-signature.json", Body: signature}))
	got := verify(changed)
	for _, want := range []string{
		"manifest.json: The file was changed", "b.js: The file is not among", "a.js: The file was signed and is missing",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if got := verify(f.write("bad.zip", []byte("no archive"))); got == "" {
		t.Error("no reason")
	}
}

func TestKeysAreNeitherReplacedNorTold(t *testing.T) {
	t.Parallel()

	f := inFolder{t, t.TempDir()}
	f.keygen("key.pem")
	before, err := os.ReadFile(f.path("key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if code, _, _ := f.stoa("package", "keygen", f.path("key.pem")); code != exitFailed {
		t.Errorf("keygen over a file: %d", code)
	}
	if after, _ := os.ReadFile(f.path("key.pem")); !bytes.Equal(before, after) {
		t.Error("keygen replaced a key")
	}
	pkg := f.write("p.zip", ziptest.Build(t, ziptest.Entry{Name: "manifest.json", Body: "{}"}))
	secret := strings.Split(string(before), "\n")[1]
	bad := f.write("bad.pem", append(before, "more"...))
	for _, key := range []string{"key.pem", filepath.Base(bad)} {
		_, out, errOut := f.stoa("package", "sign", "--key", f.path(key), pkg)
		if strings.Contains(out+errOut, secret) {
			t.Errorf("the private key is printed: %s%s", out, errOut)
		}
	}
	if code, _, errOut := f.stoa("package", "verify", "--trusted-keys", "x", pkg); code != exitFailed ||
		!strings.Contains(errOut, "--trusted-keys") {
		t.Errorf("a malformed key: %d %s", code, errOut)
	}
}

// entryOf returns the content of an entry of an archive.
func entryOf(tb testing.TB, archive, name string) string {
	tb.Helper()
	f, c, err := openPackage(archive)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	for i, e := range c.Files() {
		if e.Name == name {
			var b strings.Builder
			if err := c.CopyTo(&b, i); err != nil {
				tb.Fatal(err)
			}
			return b.String()
		}
	}
	tb.Fatalf("%s has no %s", archive, name)
	return ""
}
