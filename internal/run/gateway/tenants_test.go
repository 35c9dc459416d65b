package gateway_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"stoa/internal/base/reqctx"
	"stoa/internal/run/gateway"
)

// Two instances of one plugin are called at the same time by different people over the same
// connections: each call carries its own instance's identity, config and token, and gets its own
// caller's answer.
func TestInstancesOfOnePluginShareNothing(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.finder.list[1].Instance.Config = []byte(`{"k":2}`)
	k.answer = func(w http.ResponseWriter, r *http.Request) {
		config, _ := base64.RawURLEncoding.DecodeString(r.Header.Get("X-Plugin-Config"))
		h := r.Header
		fmt.Fprint(w, h.Get("X-Installation-Id"), " ", h.Get("X-Tenant-Id"), " ", h.Get("X-Installation-Key"), " ",
			string(config), " ", h.Get("X-Platform-Token"), " ", h.Get("X-User-Id"))
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		for i, id := range []string{"id-default", "id-eu"} {
			key := []string{"default", "eu"}[i]
			user := fmt.Sprintf("user-%d-%s", worker, key)
			wg.Go(func() {
				for range 100 {
					r := httptest.NewRequest(http.MethodPost, "/api/x?installation="+key, nil)
					r = r.WithContext(reqctx.WithCaller(t.Context(), reqctx.Caller{UserID: user}))
					w := httptest.NewRecorder()
					if err := k.Serve(w, r, gateway.Call{Slug: "pay", Path: "/api/x", Caller: gateway.CallerShop}); err != nil {
						t.Error(err)
						return
					}
					var gotID, tenant, gotKey, config, token, gotUser string
					_, _ = fmt.Sscan(w.Body.String(), &gotID, &tenant, &gotKey, &config, &token, &gotUser)
					var number int
					var of string
					_, _ = fmt.Sscanf(token, "token-%d-of-%s", &number, &of)
					if gotID != id || tenant != id || gotKey != key || config != fmt.Sprintf(`{"k":%d}`, i+1) || of != id || gotUser != user {
						t.Errorf("the call of %s for %s got %q", user, id, w.Body)
						return
					}
				}
			})
		}
	}
	wg.Wait()
}
