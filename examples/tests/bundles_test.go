// Package tests tries each example in a real stoa.
package tests

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// packed returns an archive with the files of an example's folder that match, and others.
func packed(t *testing.T, pattern string, others ...testkit.Entry) []byte {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s = %v, %v", pattern, files, err)
	}
	entries := others
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, testkit.Entry{Name: filepath.Base(file), Body: string(content)})
	}
	return testkit.Archive(t, entries...)
}

// The example bundle, built as its README says, sets up a shop.
func TestTheStarterSetsUpAShop(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	data := packed(t, "../bundles/shop-starter/bundle.json",
		testkit.Entry{Name: "items/aurora.zip", Body: string(packed(t, "../themes/aurora/*"))},
		testkit.Entry{Name: "items/gift-notes.zip", Body: string(packed(t, "../plugins/gift-notes/*.js*"))})
	res := a.Install(t, admin, "bundle", data)
	if res.Status != http.StatusCreated {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	if active := a.Fetch(t, "/api/v1/shop/themes/active"); active.Text(t, "data.slug") != "aurora" {
		t.Errorf("active = %s", active.Body)
	}
	instances := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/gift-notes/instances"))
	var list struct {
		Data struct {
			Items []struct {
				InstanceKey string
				Enabled     bool
			}
		}
	}
	if err := json.Unmarshal(instances.Body, &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range list.Data.Items {
		if in.Enabled {
			in.InstanceKey += "*"
		}
		got = append(got, in.InstanceKey)
	}
	if text := strings.Join(got, " "); text != "b2b default*" {
		t.Errorf("instances = %s", text)
	}
}
