package extension_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

func patch(token, id string, body any, ifMatch ...string) testkit.Request {
	return testkit.Request{
		Method: http.MethodPatch, Path: testkit.PayInstances + "/" + id,
		Token: token, Body: body, Header: http.Header{"If-Match": ifMatch},
	}
}

func TestInstanceLife(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin, _ := a.InstallPay(t)
		res := a.Do(t, testkit.Post(admin, testkit.PayInstances, map[string]any{
			"instanceKey": "eu-1", "config": map[string]any{"apiKey": "k-1", "region": "eu", "own": []int{1}},
			"grantedPermissions": []string{"orders:read"},
		}))
		id := res.Text(t, "data.installationId")
		path := testkit.PayInstances + "/" + id
		want := map[string]any{
			"installationId": id, "pluginSlug": "pay", "instanceKey": "eu-1", "enabled": true,
			"config": map[string]any{"apiKey": "", "region": "eu", "own": []any{1.0}},
			"configMeta": map[string]any{
				"secretFields": map[string]any{"apiKey": map[string]any{"configured": true}},
			},
			"runtime":            map[string]any{"state": "unknown", "since": "2030-03-01T12:00:00.000Z"},
			"grantedPermissions": []any{"orders:read"},
			"createdAt":          "2030-03-01T12:00:00.000Z", "updatedAt": "2030-03-01T12:00:00.000Z",
		}
		if diff := cmp.Diff(want, res.Get(t, "data")); diff != "" || res.Status != http.StatusCreated ||
			res.Header.Get("Location") != path {
			t.Errorf("created: %d, Location %q (-want +got):\n%s", res.Status, res.Header.Get("Location"), diff)
		}
		tag := res.Header.Get("ETag")
		res = a.Do(t, testkit.Get(admin, path))
		if diff := cmp.Diff(want, res.Get(t, "data")); diff != "" || res.Header.Get("ETag") != tag {
			t.Errorf("read: ETag %q, want %q (-want +got):\n%s", res.Header.Get("ETag"), tag, diff)
		}

		res = a.Do(t, patch(admin, id, map[string]any{"enabled": false}))
		if res.Get(t, "data.enabled") != false || res.Text(t, "data.config.region") != "eu" ||
			res.Header.Get("ETag") == tag {
			t.Errorf("disabled: %s, ETag %s", res.Body, res.Header.Get("ETag"))
		}
		res = a.Do(t, patch(admin, id, map[string]any{
			"config": map[string]any{"apiKey": "", "region": "us"}, "grantedPermissions": []string{},
		}))
		want["enabled"], want["grantedPermissions"] = false, []any{}
		want["config"] = map[string]any{"apiKey": "", "region": "us"}
		if diff := cmp.Diff(want, res.Get(t, "data")); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
		res = a.Do(t, patch(admin, id, map[string]any{"enabled": true}))
		if res.Status != http.StatusOK || res.Get(t, "data.enabled") != true {
			t.Errorf("enabled: %d %s", res.Status, res.Body)
		}
		testkit.WantError(t,
			a.Do(t, testkit.Post(admin, testkit.PayInstances, map[string]any{
				"instanceKey": "eu-1", "config": testkit.PayConfig(),
			})), http.StatusConflict, "CONFLICT")

		if res := a.Do(t, testkit.Delete(admin, path)); res.Status != http.StatusOK {
			t.Errorf("delete: %d %s", res.Status, res.Body)
		}
		for _, req := range []testkit.Request{
			testkit.Delete(admin, path), testkit.Get(admin, path), patch(admin, id, map[string]any{}),
		} {
			testkit.WantError(t, a.Do(t, req), http.StatusNotFound, "NOT_FOUND")
		}
		// The key of a deleted instance is never used again.
		testkit.WantError(t,
			a.Do(t, testkit.Post(admin, testkit.PayInstances, map[string]any{
				"instanceKey": "eu-1", "config": testkit.PayConfig(),
			})), http.StatusConflict, "CONFLICT")
	})
}

func TestDefaultInstanceStays(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, id := a.InstallPay(t)
	testkit.WantError(t, a.Do(t, testkit.Delete(admin, testkit.PayInstances+"/"+id)), http.StatusConflict, "CONFLICT")
	testkit.WantError(t,
		a.Do(t, testkit.Post(admin, testkit.PayInstances, map[string]any{
			"instanceKey": "default", "config": testkit.PayConfig(),
		})), http.StatusConflict, "CONFLICT")
	if res := a.Do(t, testkit.Get(admin, testkit.PayInstances+"/"+id)); res.Status != http.StatusOK {
		t.Errorf("it is gone: %d", res.Status)
	}
}

func TestInstanceDefaults(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, id := a.InstallPay(t)
	a.Do(t, patch(admin, id, map[string]any{"grantedPermissions": []string{"orders:write"}}))
	res := a.Do(t, testkit.Post(admin, testkit.PayInstances, map[string]any{"instanceKey": "a", "enabled": false}))
	if res.Status != http.StatusCreated || res.Get(t, "data.config") != nil || res.Get(t, "data.enabled") != false {
		t.Errorf("disabled without config: %d %s", res.Status, res.Body)
	}
	if diff := cmp.Diff([]any{"orders:write"}, res.Get(t, "data.grantedPermissions")); diff != "" {
		t.Errorf("permissions are those of the default instance (-want +got):\n%s", diff)
	}
	res = a.Do(t, testkit.Post(admin, testkit.PayInstances, map[string]any{
		"instanceKey": "b", "config": testkit.PayConfig(), "enabled": nil, "grantedPermissions": nil,
	}))
	if res.Get(t, "data.enabled") != true {
		t.Errorf("enabled without a say: %s", res.Body)
	}
	var keys []string
	list := a.Do(t, testkit.Get(admin, testkit.PayInstances))
	for _, item := range list.Get(t, "data.items").([]any) {
		keys = append(keys, item.(map[string]any)["instanceKey"].(string))
	}
	if diff := cmp.Diff([]string{"a", "b", "default"}, keys); diff != "" ||
		list.Get(t, "data.pagination.total") != 3.0 {
		t.Errorf("list: %v (-want +got):\n%s", list.Get(t, "data.pagination"), diff)
	}
}

func TestInstanceRefuses(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, id := a.InstallPay(t)
	deep := strings.Repeat(`{"a":`, 10) + "1" + strings.Repeat("}", 10)
	large := fmt.Sprintf(`{"a":%q}`, strings.Repeat("x", 65536))
	tests := []struct {
		name, body string
		paths      []string // of the issues
		message    string   // of the error, if it matters
	}{
		{"nothing", `{}`, []string{"instanceKey", "config.apiKey", "config.region"}, ""},
		{
			"everything of the wrong type", `{"instanceKey":1,"enabled":"yes","config":"x","grantedPermissions":"y"}`,
			[]string{"instanceKey", "enabled", "config", "grantedPermissions"},
			"Config must be an object",
		},
		{"an array", `{"instanceKey":"a","config":[]}`, []string{"config"}, "Config must be an object"},
		{
			"a large config", `{"instanceKey":"a","enabled":false,"config":` + large + `}`,
			[]string{"config"},
			"Config exceeds 64KB",
		},
		{
			"a deep config", `{"instanceKey":"a","enabled":false,"config":` + deep + `}`,
			[]string{"config"},
			"Config nesting exceeds 10 layers",
		},
		{
			"a bad key and a wrong type", `{"instanceKey":"A","enabled":false,"config":{"limit":"1"}}`,
			[]string{"instanceKey", "config.limit"},
			"",
		},
		{
			"permissions not declared",
			`{"instanceKey":"a","enabled":false,"grantedPermissions":["orders:read","users:read"]}`,
			[]string{"grantedPermissions"},
			"",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			answers := []testkit.Response{a.Do(t, testkit.Post(admin, testkit.PayInstances, tt.body))}
			want := tt.paths
			if want[0] != "instanceKey" { // the rest holds for changes as well
				answers = append(answers, a.Do(t, patch(admin, id, tt.body)))
			}
			for _, res := range answers {
				testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
				var got []string
				for _, is := range res.Get(t, "error.details.issues").([]any) {
					got = append(got, is.(map[string]any)["path"].(string))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("issues (-want +got):\n%s", diff)
				}
				if tt.message != "" && res.Text(t, "error.message") != tt.message {
					t.Errorf("message = %q, want %q", res.Text(t, "error.message"), tt.message)
				}
			}
		})
	}
}

// Enabling an instance that lacks required config is refused, and the answer
// names the fields.
func TestInstanceIsNotEnabledWithoutRequiredConfig(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, id := a.InstallPay(t)
	res := a.Do(t, patch(admin, id, map[string]any{"enabled": true}))
	testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
	if msg := res.Text(t, "error.message"); !strings.Contains(msg, "apiKey") || !strings.Contains(msg, "region") {
		t.Errorf("message = %q, want it to name both fields", msg)
	}
	res = a.Do(t, patch(admin, id, map[string]any{"enabled": true, "config": testkit.PayConfig()}))
	if res.Status != http.StatusOK || res.Get(t, "data.enabled") != true {
		t.Errorf("with config: %d %s", res.Status, res.Body)
	}
	testkit.WantError(t, a.Do(t, patch(admin, id, map[string]any{"config": nil})), http.StatusBadRequest,
		"VALIDATION_ERROR")
	res = a.Do(t, patch(admin, id, map[string]any{"config": nil, "enabled": false}))
	if res.Status != http.StatusOK || res.Get(t, "data.config") != nil {
		t.Errorf("without config, disabled: %d %s", res.Status, res.Body)
	}
}

func TestInstanceIfMatch(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, id := a.InstallPay(t)
	off := map[string]any{"config": map[string]any{"region": "eu"}}
	first := a.Do(t, testkit.Get(admin, testkit.PayInstances+"/"+id)).Header.Get("ETag")
	second := a.Do(t, patch(admin, id, off, first)).Header.Get("ETag")
	if second == first || second == "" {
		t.Fatalf("ETag %q after %q", second, first)
	}
	testkit.WantError(t, a.Do(t, patch(admin, id, off, first)), http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	testkit.WantError(t, a.Do(t, patch(admin, id, off, "W/"+second)), http.StatusPreconditionFailed,
		"PRECONDITION_FAILED")
	stale := testkit.Delete(admin, testkit.PayInstances+"/"+id)
	stale.Header = http.Header{"If-Match": {first}}
	testkit.WantError(t, a.Do(t, stale), http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	for _, match := range []string{second, "*", `"x", ` + second} {
		// The same change again changes nothing, so the ETag stays.
		if res := a.Do(t, patch(admin, id, off, match)); res.Status != http.StatusOK ||
			res.Header.Get("ETag") != second {
			t.Errorf("If-Match %s: %d, ETag %s, want 200 and %s", match, res.Status, res.Header.Get("ETag"), second)
		}
	}
}

func TestInstanceOfAnotherPlugin(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		admin, id := a.InstallPay(t)
		a.Install(t, admin, "plugin", testkit.ExternalPlugin(t, "other", nil))
		foreign := "/api/v1/admin/plugins/other/instances/" + id
		for _, path := range []string{
			foreign, testkit.PayInstances + "/default", testkit.PayInstances + "/%00",
			"/api/v1/admin/plugins/%00", "/api/v1/admin/plugins/%ff",
			"/api/v1/admin/plugins/%00/secret", "/api/v1/admin/plugins/%00/instances", extensions + "/plugin/%00",
		} {
			testkit.WantError(t, a.Do(t, testkit.Get(admin, path)), http.StatusNotFound, "NOT_FOUND")
		}
		testkit.WantError(t, a.Do(t, testkit.Delete(admin, foreign)), http.StatusNotFound, "NOT_FOUND")
	})
}

func TestInstancesAreForAdministrators(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	_, id := a.InstallPay(t)
	user := a.Register(t, "ada").Access
	for _, req := range []testkit.Request{
		testkit.Get("", testkit.PayInstances),
		testkit.Post("", testkit.PayInstances, map[string]any{"instanceKey": "x"}),
		testkit.Get("", testkit.PayInstances+"/"+id),
		patch("", id, map[string]any{}), testkit.Delete("", testkit.PayInstances+"/"+id),
		testkit.Delete("", "/api/v1/admin/plugins/pay"), testkit.Get("", "/api/v1/admin/plugins/pay"),
		{Method: http.MethodPost, Path: "/api/v1/admin/plugins/pay/secret/rotate"},
	} {
		testkit.WantError(t, a.Do(t, req), http.StatusUnauthorized, "UNAUTHORIZED")
		req.Token = user
		testkit.WantError(t, a.Do(t, req), http.StatusForbidden, "FORBIDDEN")
	}
}

func TestInstancesInParallel(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		admin, id := a.InstallPay(t)
		const clients = 6
		var mu sync.Mutex
		created, stale := map[int]int{}, map[int]int{}
		tag := a.Do(t, testkit.Get(admin, testkit.PayInstances+"/"+id)).Header.Get("ETag")
		var wg sync.WaitGroup
		for i := range clients {
			wg.Go(func() {
				one := a.Do(t, testkit.Post(admin, testkit.PayInstances, map[string]any{
					"instanceKey": "race", "config": testkit.PayConfig(),
				}))
				two := a.Do(t, patch(admin, id, map[string]any{"config": map[string]any{"limit": i}}, tag))
				mu.Lock()
				defer mu.Unlock()
				created[one.Status]++
				stale[two.Status]++
			})
		}
		wg.Wait()
		if diff := cmp.Diff(map[int]int{http.StatusCreated: 1, http.StatusConflict: clients - 1}, created); diff != "" {
			t.Errorf("creating one key (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[int]int{
			http.StatusOK: 1, http.StatusPreconditionFailed: clients - 1,
		}, stale); diff != "" {
			t.Errorf("changing one state (-want +got):\n%s", diff)
		}
	})
}

// Values of a config are secret: they are in no log, in no error, and not
// readable in the database file.
func TestConfigValuesStaySecret(t *testing.T) {
	t.Parallel()

	const value = "hunter2-secret-value"
	var log logtest.Buffer
	var dir string
	a := testkit.New(t, dataDir(&dir), func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() })
	admin, id := a.InstallPay(t)
	signing := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/pay/secret")).Text(t, "data.secret")
	answers := []testkit.Response{
		a.Do(t, testkit.Post(admin, testkit.PayInstances, map[string]any{
			"instanceKey": "a", "config": map[string]any{"apiKey": value, "region": "eu"},
		})),
		a.Do(t, patch(admin, id, map[string]any{"config": map[string]any{"apiKey": value, "region": "eu"}})),
		a.Do(t, patch(admin, id, map[string]any{"config": map[string]any{"apiKey": []string{value}}})),
		a.Do(t, patch(admin, id, map[string]any{"config": value})),
		a.Do(t, patch(admin, id, map[string]any{"config": map[string]any{"limit": value}})),
		a.Do(t, patch(admin, id, `{"config":{"apiKey":"`+value+`"`)),
		a.Do(t, testkit.Get(admin, testkit.PayInstances)),
		a.Do(t, testkit.Get(admin, testkit.PayInstances+"/"+id)), a.Do(t, testkit.Get(admin, extensions)),
	}
	for i, res := range answers {
		if strings.Contains(string(res.Body), value) {
			t.Errorf("answer %d repeats the value: %s", i, res.Body)
		}
	}
	if strings.Contains(log.String(), value) || strings.Contains(log.String(), signing) {
		t.Error("the log holds a secret")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "stoa.db*")) // with the write-ahead log
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil || bytes.Contains(data, []byte(value)) || bytes.Contains(data, []byte(signing)) {
			t.Errorf("%s holds a secret in the clear (%v)", filepath.Base(name), err)
		}
	}
	if len(files) == 0 {
		t.Error("no database file was looked at")
	}
}
