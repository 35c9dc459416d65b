package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/examples/plugins"
	"stoa/internal/message/delivery"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/ziptest"
)

// crashing is an entry module that ends the process of wish-lists when it puts its sixteenth value, as a
// kill would.
const crashing = `
const { fetch } = globalThis
let puts = 0
globalThis.fetch = (url, init) => {
  if (init?.method === 'PUT' && ++puts > 15) process.exit(1)
  return fetch(url, init)
}
module.exports = require('./index.js')`

// wished is a shop with wish-lists.
type wished struct {
	*testkit.App
	admin, id string
}

// install installs an archive of wish-lists.
func (w *wished) install(t *testing.T, archive []byte, status int) {
	t.Helper()
	res := w.Install(t, w.admin, "plugin", archive)
	if res.Status != status {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	w.id = res.Text(t, "data.defaultInstance.installationId")
}

// stored returns what the plugin has stored at keys with a prefix.
func (w *wished) stored(t *testing.T, prefix string) map[string]string {
	t.Helper()
	rows, err := w.DB.Conn().Read.QueryContext(t.Context(),
		`SELECT key, value FROM plugin_storage WHERE installation_id = $1`, w.id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	values := make(map[string]string)
	for rows.Next() {
		var key, value []byte
		if err := rows.Scan(&key, &value); err != nil {
			t.Fatal(err)
		}
		if len(key) >= len(prefix) && string(key[:len(prefix)]) == prefix {
			values[string(key)] = string(value)
		}
	}
	return values
}

// attempts waits until a hook was tried that often, or delivered, and returns its state.
func (w *wished) attempts(t *testing.T, hook string, n int) (state string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var tries int
		err := w.DB.Conn().Read.QueryRowContext(t.Context(),
			`SELECT d.state, d.tries FROM deliveries d JOIN delivery_queues q ON q.name = d.queue
			WHERE d.name = $1 AND q.lease = ''`, hook).Scan(&state, &tries)
		if err == nil && (state == "delivered" || tries >= n) {
			return state
		}
		if time.Now().After(end) {
			t.Fatalf("waited a minute in vain for attempt %d: %s after %d, %v", n, state, tries, err)
		}
	}
}

// An onUpgrade that is killed again and again converts every value in the end, each once, and loses no
// change that a customer makes in between.
func TestTheMigrationOfWishListsMayBeKilled(t *testing.T) {
	t.Parallel()
	w := &wished{App: testkit.New(t)}
	w.admin = w.Admin(t, "root").Access
	first, err := plugins.Archive("wish-lists/1.0.0", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.install(t, first, http.StatusCreated)
	want := make(map[string]string)
	for i := range 50 {
		key := fmt.Sprintf("wishes/u%02d", i)
		w.put(t, key, fmt.Sprintf(`["mug","cap-%d"]`, i))
		want[key] = fmt.Sprintf(`{"mug":{"since":null},"cap-%d":{"since":null}}`, i)
	}
	w.install(t, crashingArchive(t), http.StatusOK)
	for attempt := 1; ; attempt++ {
		state := w.attempts(t, "onUpgrade", attempt)
		left := old(w.stored(t, "wishes/"))
		t.Logf("attempt %d: %s, %d of 50 lists are left, note %s", attempt, state, left, w.stored(t, "migration")["migration"])
		if state == "delivered" {
			break
		}
		if attempt == 1 {
			if left != 35 {
				t.Errorf("the first attempt left %d lists, want 35", left)
			}
			// Customers change a list that was converted, and one that was not.
			for _, key := range []string{"wishes/u00", "wishes/u40"} {
				want[key] = `{"tea":{"since":"2030-01-01T00:00:00.000Z"}}`
				w.put(t, key, want[key])
			}
		}
		if attempt > 5 {
			t.Fatal("it does not come to an end")
		}
		w.Clock.Advance(12 * time.Hour)
		w.DB.Conn().Announce(store.NewIn(delivery.Plugins))
	}
	if diff := cmp.Diff(want, w.stored(t, "wishes/")); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func (w *wished) put(t *testing.T, key, value string) {
	t.Helper()
	_, err := w.DB.Conn().Write.ExecContext(t.Context(), `
		INSERT INTO plugin_storage (installation_id, key, content_type, etag, size, value)
		VALUES ($1, $2, 'application/json', $3, $4, $5)
		ON CONFLICT (installation_id, key) DO UPDATE SET etag = excluded.etag, size = excluded.size, value = excluded.value`,
		w.id, []byte(key), fmt.Sprintf("%x", value), len(value), []byte(value))
	if err != nil {
		t.Fatal(err)
	}
}

// old returns how many values have the form of 1.0.0.
func old(values map[string]string) (n int) {
	for _, v := range values {
		if v[0] == '[' {
			n++
		}
	}
	return n
}

// crashingArchive returns wish-lists 2.0.0 with the entry module crashing.
func crashingArchive(t *testing.T) []byte {
	t.Helper()
	files := map[string]string{"crash.js": crashing}
	for _, name := range []string{"index.js", "migrate.js"} {
		text, err := os.ReadFile(filepath.Join("../plugins/wish-lists", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	raw, err := os.ReadFile("../plugins/wish-lists/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	maps.Copy(manifest, map[string]any{"entryModule": "crash.js"})
	return ziptest.Plugin(t, manifest, files)
}
