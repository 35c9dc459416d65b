package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
	"stoa/internal/testkit/ziptest"
)

// seller is a stoa process that is a market, and the folder in which its operator works.
type seller struct {
	inFolder
	*server

	token string
}

const marketCatalog = `
currency: EUR
products:
  - {slug: free-pack, name: Free Pack, category: other, shortDescription: A., description: B., icon: /i.svg,
     pricingTiers: [{id: only, name: Only, price: 0}]}
`

// newSeller starts a market with a free product, whose package is signed.
func newSeller(t *testing.T) *seller {
	t.Helper()
	f := inFolder{t, t.TempDir()}
	must := func(args ...string) string {
		t.Helper()
		code, out, errOut := f.stoa(args...)
		if code != exitOK {
			t.Fatalf("stoa %v: %s", args, errOut)
		}
		return out
	}
	copyMigrated(t, f.path("data"))
	data := "--data=" + f.path("data")
	must("market", "init", data, "--root="+f.path("root.pem"))
	public := f.keygen("publisher.pem")
	f.write("catalog.yaml", []byte(marketCatalog))
	must("catalog", "import", data, f.path("catalog.yaml"))
	s := &seller{inFolder: f, server: serve(t, []string{
		"STOA_ADMIN_EMAIL=root@example.com", "STOA_ADMIN_PASSWORD=a long password", "STOA_TRUSTED_KEYS=acme=" + public,
		"STOA_MARKET=on",
	}, data)}
	login := s.send(t, http.MethodPost, "/auth/login", "application/json",
		[]byte(`{"email":"root@example.com","password":"a long password"}`), http.StatusOK)
	var tokens struct{ Data struct{ Token string } }
	if err := json.Unmarshal(login, &tokens); err != nil || tokens.Data.Token == "" {
		t.Fatalf("%s, %v", login, err)
	}
	s.token = tokens.Data.Token
	manifest := `{"schemaVersion":1,"slug":"courier","name":"Courier","version":"1.0.0","runtimeType":"external-http",` +
		`"externalBaseUrl":"https://plugin.example","permissions":["orders:read"]}`
	f.write("courier.zip", ziptest.Build(t, ziptest.Entry{Name: "manifest.json", Body: manifest}))
	must("package", "sign", "--key="+f.path("publisher.pem"), f.path("courier.zip"))
	pkg, err := os.ReadFile(f.path("courier.zip"))
	if err != nil {
		t.Fatal(err)
	}
	s.send(t, http.MethodPut, "/api/v1/admin/products/free-pack/package", "application/zip", pkg, http.StatusCreated)
	return s
}

// send sends a request and returns the answer's body.
func (s *seller) send(t *testing.T, method, path, contentType string, body []byte, want int) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	res, err := (&http.Client{Transport: new(http.Transport)}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != want {
		t.Fatalf("%s %s = %d %s, %v; want %d", method, path, res.StatusCode, answer, err, want)
	}
	return answer
}

// found is what the client of others prints.
type found struct {
	Root   int
	Key    string
	Path   string
	Target struct {
		Length int64
		Custom struct {
			Kind, Slug, Version string
			Permissions         []string
		}
	}
}

// A client that others wrote, the one of npm, reads the market as it is: delegation, download, rotation of the online
// key and of the root.
func TestAStockTUFClientReadsTheMarket(t *testing.T) {
	needtest.Long(t, "a client of others")
	t.Parallel()

	node := needtest.Program(t, "node", "")
	if _, err := os.Stat("../../compat/node_modules/tuf-js"); err != nil {
		needtest.Lacks(t, "tuf-js is not installed (npm ci in compat/)")
	}
	s := newSeller(t)
	client := t.TempDir()
	if err := os.MkdirAll(filepath.Join(client, "targets"), 0o755); err != nil {
		t.Fatal(err)
	}
	root := s.send(t, http.MethodGet, "/api/market/v1/tuf/1.root.json", "", nil, http.StatusOK)
	if err := errors.Join(os.MkdirAll(filepath.Join(client, "metadata"), 0o755),
		os.WriteFile(filepath.Join(client, "metadata", "root.json"), root, 0o600)); err != nil {
		t.Fatal(err)
	}
	read := func() (f found, err error) {
		cmd := exec.CommandContext(t.Context(), node, "../../compat/tuf/client.mjs", s.URL, client, "free-pack/1.0.0.zip")
		var problem strings.Builder
		cmd.Stderr = &problem
		out, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(out, &f)
		} else {
			err = errors.New(problem.String())
		}
		return f, err
	}
	first, err := read()
	if err != nil {
		t.Fatal(err)
	}
	c := first.Target.Custom
	if first.Root != 1 || c.Kind != "plugin" || c.Slug != "courier" || c.Version != "1.0.0" || len(c.Permissions) != 1 {
		t.Errorf("the client found %+v", first)
	}
	want, err := os.ReadFile(s.path("courier.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(first.Path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the download has %d bytes, %v; want %d", len(got), err, len(want))
	}
	data := "--data=" + s.path("data")
	for _, args := range [][]string{
		{"keys", "rotate", "--purpose=market", data}, {"market", "root", "renew", data, "--root=" + s.path("root.pem")},
	} {
		if code, _, errOut := s.stoa(args...); code != exitOK {
			t.Fatalf("stoa %v: %s", args, errOut)
		}
	}
	waittest.Until(t, "the running stoa follows", func() error {
		now, err := read()
		if err == nil && (now.Root != 2 || now.Key == first.Key || now.Path == "") {
			err = errors.New("root and key are still the old ones")
		}
		return err
	})
}

// The root key is in its file, and nowhere else: not in the database, and not in a backup.
func TestTheRootKeyIsInItsFileOnly(t *testing.T) {
	t.Parallel()

	s := newSeller(t)
	info, err := os.Stat(s.path("root.pem"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("root.pem: %v, %v; want it private", info.Mode(), err)
	}
	text, err := os.ReadFile(s.path("root.pem"))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	seed := block.Bytes[len(block.Bytes)-32:]
	if code, _, errOut := s.stoa("backup", "create", "--data="+s.path("data"), "--backup-file="+s.path("b.backup")); code != exitOK {
		t.Fatal(errOut)
	}
	err = filepath.WalkDir(s.dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == s.path("root.pem") {
			return err
		}
		content, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		for what, secret := range map[string][]byte{
			"the key": seed, "the PEM": []byte(strings.Split(string(text), "\n")[1]),
		} {
			if bytes.Contains(content, secret) {
				t.Errorf("%s has %s", name, what)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if strings.Contains(s.Log(), strings.Split(string(text), "\n")[1]) {
		t.Error("the log has the key")
	}
}

// After a restore the operator is told what to do, until it is done.
func TestARestoredMarketAsksForNewKeys(t *testing.T) {
	t.Parallel()

	s := newSeller(t)
	must := func(args ...string) {
		t.Helper()
		if code, _, errOut := s.stoa(args...); code != exitOK {
			t.Fatalf("stoa %v: %s", args, errOut)
		}
	}
	must("backup", "create", "--data="+s.path("data"), "--backup-file="+s.path("b.backup"))
	key, err := os.ReadFile(filepath.Join(s.path("data"), "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	data := "--data=" + s.path("restored")
	if err := os.MkdirAll(s.path("restored"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.write("restored/master.key", key)
	must("restore", data, s.path("b.backup"))
	const due = "the market was restored from a backup"
	again := serve(t, []string{"STOA_MARKET=on"}, data)
	waittest.True(t, "the log says what is due", func() bool { return strings.Contains(again.Log(), due) })
	must("keys", "rotate", "--purpose=market", data)
	must("market", "root", "renew", data, "--root="+s.path("root.pem"))
	settled := serve(t, []string{"STOA_MARKET=on"}, data)
	if strings.Contains(settled.Log(), due) {
		t.Error("the log still asks for new keys")
	}
}
