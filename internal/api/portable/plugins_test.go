package portable_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/examples/plugins"
	"stoa/internal/app"
	"stoa/internal/run/hook"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// known is what plugins.json says of an installation.
type known struct {
	Plugin, Name, InstallationID, InstanceKey string

	Data    json.RawMessage
	Missing string
}

// copyOf has a copy made for a user and returns what plugins told.
func copyOf(t *testing.T, a *testkit.App, user testkit.Tokens) []known {
	t.Helper()
	var list []known
	readCopy(t, a, user, "plugins.json", &list)
	return list
}

// readCopy has a copy made for a user and reads one of its files.
func readCopy(t *testing.T, a *testkit.App, user testkit.Tokens, name string, into any) {
	t.Helper()
	res := a.Do(t, testkit.Post(user.Access, "/auth/account/export", nil))
	if res.Status != http.StatusAccepted {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	if n, err := a.Takeout.MakeDue(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d made, %v", n, err)
	}
	res = a.Do(t, testkit.Get(user.Access, "/auth/account/export/"+res.Text(t, "data.id")+"/archive"))
	z, err := zip.NewReader(bytes.NewReader(res.Body), int64(len(res.Body)))
	if err != nil {
		t.Fatalf("%d %s: %v", res.Status, res.Body, err)
	}
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
}

// exporting installs an external plugin that answers with h.
func exporting(t *testing.T, a *testkit.App, admin, slug string, export any, h http.HandlerFunc) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	m := testkit.ExternalManifest(slug, srv.URL)
	m["export"] = export
	if res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, m, nil)); res.Status != http.StatusCreated {
		t.Fatalf("%s: %d %s", slug, res.Status, res.Body)
	}
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestACopyHasWhatPluginsKnow(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, user := a.Admin(t, "root").Access, a.Register(t, "ada")
	if got := copyOf(t, a, a.Register(t, "eve")); len(got) != 0 {
		t.Errorf("without plugins: %v", got)
	}
	asked := make(chan *http.Request, 1)
	exporting(t, a, admin, "asked", true, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		asked <- r
		_, _ = io.WriteString(w, `{"points": 12}`)
	})
	exporting(t, a, admin, "quiet", false, func(http.ResponseWriter, *http.Request) { t.Error("quiet was asked") })
	for slug, h := range map[string]http.HandlerFunc{
		"knows-nothing": answering(http.StatusNoContent, ""),
		"breaks-off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"half":`)
		},
		"cuts-a-number": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `12`)
		},
		"fails":        answering(http.StatusInternalServerError, `{}`),
		"no-json":      answering(http.StatusOK, `<html>`),
		"no-text":      answering(http.StatusOK, "\"\xff\""),
		"at-the-limit": answering(http.StatusOK, `"`+strings.Repeat("x", hook.MaxExport-2)+`"`),
		"beyond-it":    answering(http.StatusOK, `"`+strings.Repeat("x", hook.MaxExport-1)+`"`),
		"deep":         answering(http.StatusOK, strings.Repeat("[", 9000)+strings.Repeat("]", 9000)),
	} {
		exporting(t, a, admin, slug, true, h)
	}
	want := map[string]string{
		"asked": `{"points":12}`, "quiet": "", "knows-nothing": "null", "deep": "9000", "at-the-limit": "10485760",
		"breaks-off": "The plugin's answer was no JSON.", "cuts-a-number": "The plugin's answer was no JSON.",
		"fails": "The plugin answered with an error.", "no-json": "The plugin's answer was no JSON.",
		"no-text": "The plugin's answer was no JSON.", "beyond-it": "The plugin's answer was too long.",
	}
	got := map[string]string{}
	for _, one := range copyOf(t, a, user) {
		got[one.Plugin] = one.Missing + string(one.Data)
		switch one.Plugin {
		case "deep":
			got["deep"] = "9000"
		case "at-the-limit":
			got["at-the-limit"] = "10485760"
			if len(one.Data) != hook.MaxExport {
				t.Errorf("at the limit: %d bytes", len(one.Data))
			}
		}
		if one.Name == "" || one.InstanceKey != "default" || one.InstallationID == "" {
			t.Errorf("%+v", one)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plugins (-want +got):\n%s", diff)
	}
	r := <-asked
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost || r.URL.Path != "/__lifecycle/export" || string(body) != `{"userId":"`+user.UserID+`"}` ||
		r.Header.Get("X-User-Id") != "" || r.Header.Get("X-Platform-Signature") == "" || r.Header.Get("X-Platform-Token") == "" {
		t.Errorf("%s %s %s %v", r.Method, r.URL, body, r.Header)
	}
}

// A plugin that hangs neither fails the copy nor holds up the others for longer than its time.
func TestAPluginThatHangsIsMissingInACopy(t *testing.T) {
	t.Parallel()

	waittest.Within(t, "a copy without what hangs", func(limit time.Duration) error { return copyWithoutHung(t, limit) })
}

func copyWithoutHung(t *testing.T, limit time.Duration) error {
	t.Helper()
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.AnswerLimit = limit })
	admin, user := a.Admin(t, "root").Access, a.Register(t, "ada")
	var hung atomic.Int32
	for _, slug := range []string{"hangs", "hangs-too"} {
		exporting(t, a, admin, slug, true, func(w http.ResponseWriter, r *http.Request) {
			hung.Add(1)
			_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that stoa hangs up
			if slug == "hangs-too" {
				_, _ = io.WriteString(w, `[`)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
	}
	exporting(t, a, admin, "works", true, answering(http.StatusOK, `1`))
	got := map[string]string{}
	for _, one := range copyOf(t, a, user) {
		got[one.Plugin] = one.Missing + string(one.Data)
	}
	want := map[string]string{
		"hangs": "The plugin did not answer in time.", "hangs-too": "The plugin did not answer in time.", "works": "1",
	}
	if diff := cmp.Diff(want, got); diff != "" || hung.Load() != 2 {
		return fmt.Errorf("plugins (-want +got), %d hung:\n%s", hung.Load(), diff)
	}
	return nil
}

// What an internal plugin knows is in the copy whether its instance is enabled or not, and each instance has its own.
func TestACopyHasWhatInstancesOfAnInternalPluginKnow(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, user := a.Admin(t, "root").Access, a.Register(t, "ada")
	archive, err := plugins.Archive("wish-lists", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res := a.Install(t, admin, "plugin", archive); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	const instances = "/api/v1/admin/plugins/wish-lists/instances"
	grants := map[string]any{"grantedPermissions": []string{"storage:read", "storage:write"}}
	res := a.Do(t, testkit.Post(admin, instances, map[string]any{"instanceKey": "second", "enabled": true, "grantedPermissions": grants["grantedPermissions"]}))
	if res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	second := res.Text(t, "data.installationId")
	put := testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/shop/plugins/wish-lists/api/wishes/mug?installationId=" + second, Token: user.Access,
	}
	if res := a.Do(t, put); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	for _, enabled := range []bool{true, false} {
		patch := testkit.Request{
			Method: http.MethodPatch, Path: instances + "/" + second, Token: admin, Body: map[string]any{"enabled": enabled},
		}
		if res := a.Do(t, patch); res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		list := copyOf(t, a, user)
		if len(list) != 2 || list[0].InstanceKey != "default" || string(list[0].Data) != "null" ||
			list[1].InstallationID != second || !strings.HasPrefix(string(list[1].Data), `{"mug":{"since":"`) {
			t.Errorf("enabled %t: %+v", enabled, list)
		}
		a.Clock.Advance(25 * time.Hour) // copies are one a day
		user = a.Login(t, "ada")
	}
}
