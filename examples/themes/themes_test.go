package themes_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// archive builds the ZIP of an example pack from its folder.
func archive(t *testing.T, name string) []byte {
	t.Helper()
	var entries []testkit.Entry
	files, err := filepath.Glob(filepath.Join(name, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files of %s = %v, %v", name, files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, testkit.Entry{Name: filepath.Base(file), Body: string(content)})
	}
	return testkit.Archive(t, entries...)
}

// page is what the storefront made of its page.
type page struct {
	Theme      *string           `json:"theme"`
	Properties map[string]string `json:"properties"`
	Stylesheet bool              `json:"stylesheet"`
	Block      string            `json:"block"`
	Meta       []string          `json:"meta"`
	Asides     []string          `json:"asides"`
}

func visit(t *testing.T, a *testkit.App) page {
	t.Helper()
	node := needtest.Program(t, "node", "")
	cmd := exec.CommandContext(t.Context(), node, filepath.Join("storefront", "try.mjs"), a.URL)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("try.mjs: %v\n%s", err, out)
	}
	var p page
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// The example storefront applies the example pack, and shows a block and embeds.
func TestStorefrontAppliesThePackAndRendersExtensions(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	empty := page{Properties: map[string]string{}, Meta: []string{}, Asides: []string{}}
	if diff := cmp.Diff(empty, visit(t, a)); diff != "" {
		t.Errorf("with nothing installed (-want +got):\n%s", diff)
	}

	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/ratings" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"text":"4.8 of 5 in ` + r.Header.Get("X-Installation-Key") + `"}`))
	}))
	t.Cleanup(service.Close)
	plugin := testkit.ExternalPlugin(t, "product-ratings", map[string]any{
		"externalBaseUrl": service.URL,
		"themeExtensions": map[string]any{
			"blocks": []any{map[string]any{"extensionId": "stars", "name": "Ratings", "dataEndpoint": "/api/ratings"}},
			"embeds": []any{
				map[string]any{
					"extensionId": "badge", "name": "Badge", "targetPosition": "body-end", "dataEndpoint": "/api/ratings?short=1",
				},
				map[string]any{"extensionId": "rated", "name": "Rated", "targetPosition": "head-end"},
				map[string]any{"extensionId": "down", "name": "Down", "targetPosition": "body-end", "dataEndpoint": "/api/down"},
			},
		},
	})
	if res := a.Install(t, admin, "plugin", plugin); res.Status != http.StatusCreated {
		t.Fatalf("plugin = %d %s", res.Status, res.Body)
	}
	if res := a.Install(t, admin, "theme-shop", archive(t, "aurora")); res.Status != http.StatusCreated {
		t.Fatalf("theme = %d %s", res.Status, res.Body)
	}
	res := a.Do(t, testkit.Post(admin, "/api/v1/admin/themes/shop/activate", map[string]any{"slug": "aurora"}))
	if res.Status != http.StatusOK {
		t.Fatalf("activate = %d %s", res.Status, res.Body)
	}
	aurora := "aurora"
	want := page{
		Theme: &aurora, Stylesheet: true,
		Properties: map[string]string{"--theme-accentColor": "#0a7d62", "--theme-columns": "3"},
		Block:      "Ratings: 4.8 of 5 in default",
		Meta:       []string{"rated=Rated"}, Asides: []string{"Badge: 4.8 of 5 in default", "Down"},
	}
	if diff := cmp.Diff(want, visit(t, a)); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

// The files that the page on themes quotes are the files of the example.
func TestDocumentQuotesTheExample(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("../../docs/themes.md")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile("aurora/theme.json")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```json\n"+string(manifest)+"```") {
		t.Error("docs/themes.md does not quote aurora/theme.json")
	}
}
