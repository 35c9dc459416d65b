package proof

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// people are access tokens of users.
type people struct {
	owner string // of licenses
	admin string
}

// people signs in an owner and an administrator.
func (c *cluster) people(tb testing.TB) people {
	tb.Helper()
	p := c.processes[0]
	return people{
		owner: p.signIn(tb, "/auth/register",
			map[string]string{"email": "owner@example.com", "username": "owner", "password": adminPassword}),
		admin: p.signIn(tb, "/auth/login", map[string]string{"email": adminEmail, "password": adminPassword}),
	}
}

// signIn returns the access token of a new session.
func (p *process) signIn(tb testing.TB, path string, body map[string]string) string {
	tb.Helper()
	s, err := p.send(tb.Context(), http.MethodPost, path, "", body)
	if err != nil || s.Data.AccessToken == "" {
		tb.Fatal(err, odd(s.answer))
	}
	return s.Data.AccessToken
}

// bearer returns the header for a token, or that of a guest if it is empty.
func bearer(token string) http.Header {
	if token == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + token}}
}

// free deactivates an instance as the owner of the license.
func (p *process) free(ctx context.Context, token, licenseID, instance string) (outcome, error) {
	a, err := p.call(ctx, http.MethodDelete, "/api/marketplace/licenses/"+licenseID+"/activations/"+instance,
		bearer(token), nil)
	if err != nil {
		return outcome{}, err
	}
	if a.status == http.StatusNotFound {
		return outcome{verdict: notActivated}, nil
	}
	return a.license()
}

// list lists the instances of a license as its owner.
func (p *process) list(ctx context.Context, token, licenseID string) (outcome, error) {
	a, err := p.call(ctx, http.MethodGet, "/api/marketplace/licenses/"+licenseID+"/activations", bearer(token), nil)
	if err != nil {
		return outcome{}, err
	}
	var body struct {
		Activations []struct {
			InstanceID string `json:"instanceId"`
		} `json:"activations"`
	}
	if err := json.Unmarshal(a.body, &body); err != nil || a.status != http.StatusOK {
		return outcome{}, odd(a)
	}
	out := outcome{verdict: granted, seats: len(body.Activations)}
	for _, i := range body.Activations {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(i.InstanceID, "i"), ".example"))
		if err != nil || n < 0 || n > 15 {
			return outcome{}, odd(a)
		}
		out.taken |= 1 << n
	}
	return out, nil
}

// revoke revokes a license as an administrator.
func (p *process) revoke(ctx context.Context, token, licenseID string) (outcome, error) {
	a, err := p.call(ctx, http.MethodPost, "/api/v1/admin/licenses/"+licenseID+"/revoke", bearer(token), nil)
	if err != nil {
		return outcome{}, err
	}
	var body struct {
		Data struct {
			Status           string `json:"status"`
			CurrentInstances int    `json:"currentInstances"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.body, &body); err != nil || a.status != http.StatusOK || body.Data.Status != "revoked" {
		return outcome{}, odd(a)
	}
	return outcome{verdict: granted, seats: body.Data.CurrentInstances}, nil
}
