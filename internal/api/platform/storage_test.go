package platform_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/plugin/storage"
	"stoa/internal/testkit"
)

func stores(t *testing.T, a *testkit.App) holder {
	t.Helper()
	return grantedTo(t, a, "storage:read", "storage:write")
}

func wantStatus(t *testing.T, what string, res testkit.Response, want int) {
	t.Helper()
	if res.Status != want {
		t.Errorf("%s = %d %.300s, want %d", what, res.Status, res.Body, want)
	}
}

func TestValuesComeBackByteForByte(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	h := stores(t, a)
	for i, key := range []string{
		"k", "a/b", "ä/€/😀", "%", "%2F", "a b", "?x=1", "#", "\x00", "..", ".", "a//b", `\`, "a%2F..%2Fconfig",
		strings.Repeat("k", storage.MaxKey), strings.Repeat("€", 170),
	} {
		value := fmt.Sprintf("\x00\xff %d %s", i, key)
		put := h.key(t, http.MethodPut, key, value, "Content-Type", "text/x-test; a=1")
		wantStatus(t, "PUT of "+key, put, http.StatusCreated)
		got := h.key(t, http.MethodGet, key, "")
		if string(got.Body) != value || got.Header.Get("Content-Type") != "text/x-test; a=1" ||
			got.Header.Get("ETag") != put.Header.Get("ETag") {
			t.Errorf("%q = %d %q with %v", key, got.Status, got.Body, got.Header)
		}
		if put.Text(t, "data.key") != key || put.Text(t, "data.etag") != put.Header.Get("ETag") {
			t.Errorf("PUT of %q answers %s", key, put.Body)
		}
	}
	wantStatus(t, "no key", h.key(t, http.MethodGet, strings.Repeat("k", storage.MaxKey+1), ""), http.StatusBadRequest)
	wantStatus(t, "bad UTF-8", h.key(t, http.MethodPut, "\xff", "x"), http.StatusBadRequest)

	wantStatus(t, "empty value", h.key(t, http.MethodPut, "empty", ""), http.StatusCreated)
	empty := h.key(t, http.MethodGet, "empty", "")
	if len(empty.Body) != 0 || empty.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("the empty value is %q, %v", empty.Body, empty.Header)
	}
	largest := bytes.Repeat([]byte{0xAB}, storage.MaxValue)
	wantStatus(t, "1 MiB", h.key(t, http.MethodPut, "large", string(largest)), http.StatusCreated)
	if got := h.key(t, http.MethodGet, "large", "").Body; !bytes.Equal(got, largest) {
		t.Errorf("1 MiB came back as %d bytes", len(got))
	}
	testkit.WantError(t, h.key(t, http.MethodPut, "large", string(largest)+"x"),
		http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")

	for range 2 {
		wantStatus(t, "DELETE", h.key(t, http.MethodDelete, "k", ""), http.StatusNoContent)
	}
	testkit.WantError(t, h.key(t, http.MethodGet, "k", ""), http.StatusNotFound, "NOT_FOUND")
}

func TestNoInstallationSeesAnothersStorage(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	one := stores(t, a)
	res := a.Do(t, testkit.Post(one.Admin.Access, "/api/v1/admin/plugins/echo/instances", map[string]any{
		"instanceKey": "second", "grantedPermissions": []string{"storage:read", "storage:write"},
	}))
	two := holder{one.Echo, tokenOf(t, one.Echo, res.Text(t, "data.installationId"))}
	wantStatus(t, "PUT", one.key(t, http.MethodPut, "k", "one"), http.StatusCreated)
	wantStatus(t, "GET by another", two.key(t, http.MethodGet, "k", ""), http.StatusNotFound)
	wantStatus(t, "DELETE by another", two.key(t, http.MethodDelete, "k", ""), http.StatusNoContent)
	wantStatus(t, "PUT by another", two.key(t, http.MethodPut, "k", "two"), http.StatusCreated)
	if got := two.get(t, "storage").Get(t, "data.items").([]any); len(got) != 1 {
		t.Errorf("another sees %v", got)
	}
	if got := string(one.key(t, http.MethodGet, "k", "").Body); got != "one" {
		t.Errorf("the first has %q", got)
	}
}

func TestConditionalChanges(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	h := stores(t, a)
	put := func(what, body string, want int, headers ...string) string {
		t.Helper()
		res := h.key(t, http.MethodPut, "k", body, headers...)
		wantStatus(t, what, res, want)
		return res.Header.Get("ETag")
	}
	put("If-Match of nothing", "0", http.StatusPreconditionFailed, "If-Match", "*")
	first := put("If-None-Match", "1", http.StatusCreated, "If-None-Match", "*")
	put("If-None-Match again", "2", http.StatusPreconditionFailed, "If-None-Match", "*")
	second := put("If-Match", "1", http.StatusOK, "If-Match", `"other", `+first)
	if second == first {
		t.Error("the same bytes written again have the same ETag")
	}
	put("a stale If-Match", "3", http.StatusPreconditionFailed, "If-Match", first)
	wantStatus(t, "a copy", h.key(t, http.MethodGet, "k", "", "If-None-Match", second), http.StatusNotModified)
	wantStatus(t, "a stale DELETE", h.key(t, http.MethodDelete, "k", "", "If-Match", first), http.StatusPreconditionFailed)
	wantStatus(t, "DELETE", h.key(t, http.MethodDelete, "k", "", "If-Match", second), http.StatusNoContent)

	res := a.DoUnchecked(t, testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/platform/storage/k?ttl=0", Token: h.token, Body: "x",
		Header: http.Header{"If-None-Match": {first}},
	})
	if got := testkit.IssuePaths(t, res); got != "ttl If-None-Match" {
		t.Errorf("faults of %q in %s", got, res.Body)
	}
}

func TestValuesExpireWhenTheyShould(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	h := stores(t, a)
	res := h.Do(t, testkit.Request{
		Method: http.MethodPut, Path: "/api/v1/platform/storage/k?ttl=60", Token: h.token, Body: "x",
	})
	wantStatus(t, "PUT", res, http.StatusCreated)
	if got, want := res.Text(t, "data.expiresAt"), a.Clock.Now().Add(time.Minute).UTC(); got[:19] != want.Format("2006-01-02T15:04:05") {
		t.Errorf("it expires at %s, want %s", got, want)
	}
	a.Clock.Advance(time.Minute)
	wantStatus(t, "at the end", h.key(t, http.MethodGet, "k", ""), http.StatusNotFound)
}

func TestListsOfKeysHaveACursor(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	h := stores(t, a)
	for _, key := range []string{"a/2", "a/ä", "a/\xf4\x8f\xbf\xbf", "b"} {
		wantStatus(t, "PUT", h.key(t, http.MethodPut, key, key), http.StatusCreated)
	}
	var keys []string
	for cursor, more := "", true; more; {
		res := h.get(t, "storage?limit=1&prefix=a%2F&cursor="+cursor)
		for _, item := range res.Get(t, "data.items").([]any) {
			keys = append(keys, item.(map[string]any)["key"].(string))
		}
		cursor, more = res.Get(t, "data.nextCursor").(string)
	}
	if diff := cmp.Diff([]string{"a/2", "a/ä", "a/\xf4\x8f\xbf\xbf"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	res := a.DoUnchecked(t, testkit.Get(h.token, "/api/v1/platform/storage?cursor=!&limit=101&page=2&prefix=%ff"))
	if got := testkit.IssuePaths(t, res); got != "page limit key cursor" {
		t.Errorf("faults of %q in %s", got, res.Body)
	}
}

func TestStorageOutlivesUninstallingAndEndsWithPurge(t *testing.T) {
	t.Parallel()
	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		h := stores(t, a)
		wantStatus(t, "PUT", h.key(t, http.MethodPut, "k", "v"), http.StatusCreated)
		manage := func(method, path string) {
			t.Helper()
			res := a.Do(t, testkit.Request{Method: method, Path: "/api/v1/admin/plugins/echo" + path, Token: h.Admin.Access})
			wantStatus(t, method+" "+path, res, http.StatusOK)
		}
		manage(http.MethodDelete, "")
		manage(http.MethodPost, "/restore")
		h.token = tokenOf(t, h.Echo, h.ID)
		if got := string(h.key(t, http.MethodGet, "k", "").Body); got != "v" {
			t.Errorf("after a restore: %q", got)
		}
		manage(http.MethodDelete, "?purge=true")
		for _, table := range []string{"plugin_storage", "plugin_storage_use"} {
			var rows int
			if err := a.DB.Conn().Read.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows); err != nil || rows != 0 {
				t.Errorf("%s has %d rows after a purge (%v)", table, rows, err)
			}
		}
	})
}
