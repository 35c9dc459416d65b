package takeover_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"stoa/internal/testkit"
)

// T111: what a plugin keeps in the browser of staff would be there when the half hour is over, and what it kept there
// before is of staff.
func TestNoCookieOfAPluginPassesWhereStaffActAsAUser(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		var got atomic.Value
		srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			got.Store(r.Header.Get("Cookie"))
			http.SetCookie(rw, &http.Cookie{Name: "who", Value: "ada", Path: "/"})
		}))
		t.Cleanup(srv.Close)
		m := testkit.ExternalManifest("jar", srv.URL)
		if res := w.Install(t, root.Access, "plugin", testkit.PluginArchive(t, m, nil)); res.Status != http.StatusCreated {
			t.Fatalf("install = %d %s", res.Status, res.Body)
		}
		if res := w.Do(t, testkit.Patch(root.Access, "/api/v1/admin/plugins/jar", `{"allowCookies":true}`)); res.Status != http.StatusOK {
			t.Fatalf("settings = %d %s", res.Status, res.Body)
		}
		seen, _ := w.seeing(t, root.Access, ada.UserID, true)
		var cookie string
		for _, one := range []struct {
			token  string
			passes bool
		}{{ada.Access, true}, {seen, false}, {ada.Access, true}} {
			req := testkit.Get(one.token, "/api/v1/shop/plugins/jar/api/x")
			req.Header = http.Header{"Cookie": {cookie}}
			res := w.Do(t, req)
			set := res.Header.Get("Set-Cookie")
			if res.Status != http.StatusOK || (set != "") != one.passes || cookie != "" && (got.Load() != "") != one.passes {
				t.Errorf("by staff %t: %d, it got %q and set %q", !one.passes, res.Status, got.Load(), set)
			}
			if cookie == "" {
				cookie, _, _ = strings.Cut(set, ";")
			}
		}
	})
}

// T112. What plugins are told, and what they record, has both names, and no client chooses them.
func TestPluginsLearnWhoActsAndClientsDoNotChooseIt(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		echo := w.InstallEcho(t, map[string]any{"permissions": []string{"storage:read", "storage:write", "events:publish"}})
		ada := w.Register(t, "ada")
		root := echo.Admin
		seen, _ := w.seeing(t, root.Access, ada.UserID, true)
		call := func(token string) http.Header {
			t.Helper()
			req := testkit.Get(token, testkit.EchoPath+"/api/x")
			req.Header = http.Header{
				"X-User-Impersonator": {"forged"}, "x_user_impersonator": {"forged"}, "X.User.Impersonator": {"forged"},
				"X-User-Staff-Role": {"forged"},
			}
			if res := w.Do(t, req); res.Status != http.StatusOK {
				t.Fatalf("%d %s", res.Status, res.Body)
			}
			got := echo.Reached().Header
			for name, values := range got {
				if strings.Contains(strings.Join(values, " "), "forged") {
					t.Errorf("%s arrived as the client chose it", name)
				}
			}
			return got
		}
		own, acted := call(ada.Access), call(seen)
		if got := own.Values("X-User-Impersonator"); len(got) > 0 {
			t.Errorf("the user's own call is of %s", got)
		}
		if acted.Get("X-User-Impersonator") != root.UserID || acted.Get("X-User-Id") != ada.UserID || acted.Get("X-User-Role") != "customer" {
			t.Errorf("the call arrived as %v", acted)
		}
		put := func(token, key string) (by any) {
			t.Helper()
			res := w.Do(t, testkit.Request{Method: "PUT", Path: "/api/v1/platform/storage/" + key, Token: token, Body: "v"})
			if res.Status != http.StatusCreated {
				t.Fatalf("%d %s", res.Status, res.Body)
			}
			return res.Get(t, "data.by")
		}
		token := acted.Get("X-Platform-Token")
		if by := put(own.Get("X-Platform-Token"), "own"); by != nil {
			t.Errorf("the user's value is by %v", by)
		}
		by, _ := put(token, "acted").(map[string]any)
		if by["userId"] != ada.UserID || by["impersonatorId"] != root.UserID {
			t.Errorf("the value is by %v", by)
		}
		if list := w.Do(t, testkit.Get(token, "/api/v1/platform/storage")); strings.Count(string(list.Body), `"by"`) != 1 {
			t.Errorf("the list is %s", list.Body)
		}
		claims, _ := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
		var said struct {
			Act      struct{ Sub string }
			Iat, Exp int64
		}
		if err := json.Unmarshal(claims, &said); err != nil || said.Act.Sub != root.UserID {
			t.Errorf("the platform token says %s", claims)
		}
		if said.Exp-said.Iat != 60 {
			t.Errorf("the platform token lives %d s, want 60", said.Exp-said.Iat)
		}

		w.post(t, token, "/api/v1/platform/events", map[string]any{"type": "echo.seen", "data": map[string]any{}}, http.StatusAccepted)
		w.Do(t, testkit.Purchase(seen, "free"))
		for kind, want := range map[string]string{"echo.seen": `{}`, "order.paid": `{"impersonatorId":"` + root.UserID + `",`} {
			var data, user, impersonator string
			err := w.DB.Conn().Read.QueryRowContext(t.Context(), `
				SELECT data_json, by_user, by_impersonator FROM events WHERE type = $1`, kind).Scan(&data, &user, &impersonator)
			if err != nil || user != ada.UserID || impersonator != root.UserID || !strings.HasPrefix(data, want) {
				t.Errorf("%s: %s by %s as %s, %v", kind, data, impersonator, user, err)
			}
		}
	})
}
