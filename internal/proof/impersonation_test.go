package proof

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
)

// begins begins to see the shop as a user, and returns the token and the id.
func (p *process) begins(t *testing.T, staff, userID string) (token, id string) {
	t.Helper()
	a, err := p.call(t.Context(), http.MethodPost, "/api/v1/admin/users/"+userID+"/impersonate", bearer(staff),
		map[string]any{"reason": "Ticket 4711: nothing is there."})
	var started struct {
		Data struct {
			AccessToken string              `json:"access_token"`
			Session     struct{ ID string } `json:"session"`
		} `json:"data"`
	}
	if err != nil || a.status != http.StatusCreated || json.Unmarshal(a.body, &started) != nil {
		t.Fatalf("%d %s, %v", a.status, a.body, err)
	}
	return started.Data.AccessToken, started.Data.Session.ID
}

// member registers somebody and returns a token and the id.
func (p *process) member(t *testing.T, name string) (token, id string) {
	t.Helper()
	a, err := p.call(t.Context(), http.MethodPost, "/auth/register", nil,
		map[string]string{"email": name + "@example.com", "username": name, "password": adminPassword})
	var came struct {
		Data struct {
			AccessToken string              `json:"access_token"`
			User        struct{ ID string } `json:"user"`
		} `json:"data"`
	}
	if err != nil || a.status != http.StatusCreated || json.Unmarshal(a.body, &came) != nil {
		t.Fatalf("%d %s, %v", a.status, a.body, err)
	}
	return came.Data.AccessToken, came.Data.User.ID
}

// An impersonation that one process ends, or takes the ground from, is over at the other one that used it a moment ago,
// as soon as the first one has answered.
func TestAnImpersonationEndsAtEveryProcess(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it starts several processes")

	onBothEngines(t, func(t *testing.T, c *cluster) {
		a, b := c.processes[0], c.processes[1]
		admin := a.signIn(t, "/auth/login", map[string]string{"email": adminEmail, "password": adminPassword})
		own, user := a.member(t, "ada")
		must := func(p *process, method, path, token string, body any) {
			t.Helper()
			if res, err := p.call(t.Context(), method, path, bearer(token), body); err != nil || res.status != http.StatusOK {
				t.Fatalf("%s %s = %d %s, %v", method, path, res.status, res.body, err)
			}
		}
		ends := map[string]func(p *process, staff, staffID, id string){
			"staff end it": func(p *process, staff, _, id string) {
				must(p, http.MethodDelete, "/api/v1/admin/impersonations/"+id, staff, nil)
			},
			"demotion": func(p *process, _, staffID, _ string) {
				must(p, http.MethodPatch, "/api/v1/admin/users/"+staffID, admin, map[string]any{"role": "USER"})
			},
			"another role": func(p *process, _, staffID, _ string) {
				must(p, http.MethodPatch, "/api/v1/admin/users/"+staffID, admin, map[string]any{"role": "CATALOG"})
			},
			"deactivation": func(p *process, _, staffID, _ string) {
				must(p, http.MethodPatch, "/api/v1/admin/users/"+staffID, admin, map[string]any{"active": false})
			},
			"logout": func(p *process, staff, _, _ string) { must(p, http.MethodPost, "/auth/logout", staff, nil) },
			"the user ends it": func(p *process, _, _, id string) {
				must(p, http.MethodDelete, "/auth/sessions/"+id, own, nil)
			},
		}
		n := 0
		for round := range amount(t, 4) {
			ender, other := a, b
			if round%2 == 1 {
				ender, other = b, a
			}
			for what, end := range ends {
				n++
				name := fmt.Sprintf("sam%d", n)
				staff, staffID := a.member(t, name)
				must(a, http.MethodPatch, "/api/v1/admin/users/"+staffID, admin, map[string]any{"role": "SUPPORT"})
				token, id := a.begins(t, staff, user)
				waiting := newWaitingCall(t, other, "/auth/me", token)
				for range 20 { // until it remembers
					if got := waiting.status(t); got != http.StatusOK {
						t.Fatalf("%s: %d before", what, got)
					}
				}
				began := time.Now()
				end(ender, staff, staffID, id)
				took := time.Since(began)
				if got := waiting.status(t); got != http.StatusUnauthorized {
					t.Errorf("%s: the other process answers %d", what, got)
				}
				t.Logf("%s: over %d ms after it was asked for", what, took.Milliseconds())
			}
		}
	})
}
