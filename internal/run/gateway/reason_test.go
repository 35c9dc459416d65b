package gateway_test

import (
	"net/http"
	"testing"

	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/external"
	"stoa/internal/testkit/logtest"
)

// The reason reveals which instances exist and how the platform runs them. Callers who may not
// know that get the same bytes for every reason.
func TestOnlyStaffWhoSeeExtensionsGetTheReason(t *testing.T) {
	t.Parallel()

	set := func(change func(m *plugin.Manifest)) func(*kit) {
		return func(k *kit) {
			k.finder.change(func(in *plugin.Installed) { change(&in.Package.Manifest) })
		}
	}
	closed := func(k *kit) { // the plugin hangs up
		k.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	}
	for _, tt := range []struct {
		name, target, reason string
		prepare              func(k *kit)
	}{
		{"an unknown instance", "/api/x?installation=us", "unknown_instance", nil},
		{"a disabled instance", "/api/x?installation=off", "disabled", nil},
		{"two instances", "/api/x?installation=eu&installation=off", "instance_unclear", nil},
		{"a refused path", "/api/..%2fx", "path_refused", nil},
		{"a missing permission", "/api/x", "not_granted", set(func(m *plugin.Manifest) {
			m.RoutePermissions = []plugin.RoutePermission{{Method: "*", Path: "/api/*", Permission: "orders:write"}}
		})},
		{"another runtime", "/api/x", "no_runtime", set(func(m *plugin.Manifest) { m.RuntimeType = "python" })},
		{
			"a closed port", "/api/x", "no_connection",
			set(func(m *plugin.Manifest) { m.ExternalBaseURL = "http://127.0.0.1:1" }),
		},
		{
			"no such host", "/api/x", "unknown_host",
			set(func(m *plugin.Manifest) { m.ExternalBaseURL = "http://plugin.invalid" }),
		},
		{"a private address", "/api/x", "address_refused", func(k *kit) {
			rt := external.New(external.Config{Log: logtest.New(t)}) // without --external-allow
			k.Runtimes = map[plugin.RuntimeType]run.Runtime{plugin.External: rt}
		}},
		{"no answer", "/api/x", "no_answer", closed},
		{"a slow answer", "/api/x", "too_slow", func(k *kit) {
			k.answer = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
			k.finder.change(func(in *plugin.Installed) { in.Package.Settings.TimeoutMs = 1 })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			k := newKit(t)
			if tt.prepare != nil {
				tt.prepare(k)
			}
			for who, c := range map[string]reqctx.Caller{
				"administrator": {UserID: "ada", Role: reqctx.RoleAdmin, Rights: permission.All()},
				"operator":      {UserID: "opal", Role: "OPERATOR", Rights: permission.OfRole("OPERATOR", "")},
				"guest":         {},
				"customer":      {UserID: "bob", Role: reqctx.RoleUser},
				"support":       {UserID: "sue", Role: "SUPPORT", Rights: permission.OfRole("SUPPORT", "")},
				"operator without a factor that is due": {
					UserID: "opal", Role: "OPERATOR", Rights: permission.OfRole("OPERATOR", ""), FactorDue: reqctx.SecondFactor,
				},
				"service":             {Service: "billing", Role: reqctx.RoleAdmin, Rights: permission.All()},
				"guest with the role": {Role: reqctx.RoleAdmin, Rights: permission.All()},
			} {
				k.mu.Lock()
				k.who = c
				k.mu.Unlock()
				res := k.do(t, http.MethodGet, tt.target, nil, nil)
				got, shown := res.Header.Get("X-Reason"), len(res.Header["X-Reason"]) > 0
				sees := who == "administrator" || who == "operator"
				switch {
				case res.StatusCode != 599:
					t.Errorf("%s: status %d, want an error of the platform", who, res.StatusCode)
				case sees && got != tt.reason:
					t.Errorf("the %s gets %q, want %q", who, got, tt.reason)
				case !sees && shown:
					t.Errorf("the %s gets %q", who, got)
				}
			}
		})
	}
}
