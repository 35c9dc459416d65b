package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Whoever has the machine ends a key that leaked, while the server runs.
func TestAKeyIsListedAndRevokedFromTheCommandLine(t *testing.T) {
	t.Parallel()

	for name, env := range sharedDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			env, dir := env(t), t.TempDir()
			s := serve(t, append(env, "STOA_ADMIN_EMAIL=root@example.com", "STOA_ADMIN_PASSWORD=correct horse"), "--data", dir)
			// post sends a request that makes something, and returns a text of the answer.
			post := func(token, path, body, want string) string {
				t.Helper()
				_, answer := do(t, http.MethodPost, s.URL+path, token, body)
				found := regexp.MustCompile(`"` + want + `":"([^"]+)"`).FindStringSubmatch(answer)
				if found == nil {
					t.Fatalf("POST %s: %s", path, answer)
				}
				return found[1]
			}
			root := post("", "/auth/login", `{"email":"root@example.com","password":"correct horse"}`, "access_token")
			accounts := "/api/v1/admin/service-accounts"
			books := post(root, accounts, `{"name":"books"}`, "id")
			key := post(root, accounts+"/"+books+"/keys", `{"name":"nightly export","scopes":["orders:read"]}`, "key")
			id, secret := key[8:20], key[21:]
			works := func() bool {
				status, _ := do(t, http.MethodGet, s.URL+"/api/v1/admin/orders", key, "")
				return status == http.StatusOK
			}
			if !works() {
				t.Fatal("the key does not work")
			}
			out, told, ok := command(t, env, "keys", "api", "list", "--data", dir)
			if !ok || !regexp.MustCompile(`(?m)^`+id+` +nightly export +service account books +20\S+Z +\S.* +orders:read$`).MatchString(out) ||
				strings.Contains(out, secret) {
				t.Errorf("list: %v\n%s%s", ok, out, told)
			}
			if out, told, ok := command(t, env, "keys", "api", "revoke", "--data", dir, id); !ok || !strings.Contains(out, "revoked: "+id) {
				t.Errorf("revoke: %v\n%s%s", ok, out, told)
			}
			if works() {
				t.Error("the key works after the command")
			}
			if out, _, _ := command(t, env, "keys", "api", "list", "--data", dir); strings.Contains(out, id) {
				t.Errorf("it is listed: %s", out)
			}
			if out, _, _ := command(t, env, "audit", "export", "--data", dir); !strings.Contains(out, "apikey.revoke") {
				t.Errorf("the audit log has no entry: %s", out)
			}
			s.stop(t)
		})
	}
}
