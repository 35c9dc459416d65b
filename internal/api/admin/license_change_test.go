package admin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// A changer is an administrator who changes a perpetual license of three seats. One is taken by
// first.example.
type changer struct {
	*testkit.App

	token, key, id string
}

func newChanger(tb testing.TB, a *testkit.App) changer {
	tb.Helper()
	root, key, id := sellOne(tb, a, "once")
	return changer{App: a, token: root.Access, key: key, id: id}
}

// patch changes the license, if it has the version match or that is empty.
func (c changer) patch(t *testing.T, body, match string, want int) testkit.Response {
	t.Helper()
	h := http.Header{}
	if match != "" {
		h.Set("If-Match", match)
	}
	res := c.Do(t, testkit.Request{
		Method: http.MethodPatch, Path: adminLicenses + "/" + c.id, Token: c.token, Body: body, Header: h,
	})
	if res.Status != want {
		t.Errorf("PATCH %s = %d, want %d\n%s", body, res.Status, want, res.Body)
	}
	return res
}

// wantUpdates fails unless the audit log has that many changes of the license, and nothing else about
// licenses.
func (c changer) wantUpdates(t *testing.T, n int) {
	t.Helper()
	want := slices.Repeat([]string{"license.update license:" + c.id}, n)
	if got := audited(t, c.App, c.token, "license"); !slices.Equal(got, want) {
		t.Errorf("audit log = %q, want %q", got, want)
	}
}

// Fewer seats than are taken: no instance loses its seat, and none gets one.
func TestFewerSeatsTakeNoneAway(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		c := newChanger(t, a)
		a.Activate(t, c.key, "second.example")
		if res := c.patch(t, `{"maxInstances":1}`, `"1"`, http.StatusOK); res.Header.Get("ETag") != `"2"` ||
			res.Get(t, "data.maxInstances") != 1.0 || res.Get(t, "data.currentInstances") != 2.0 {
			t.Errorf("PATCH = %s", res.Body)
		}
		for _, instance := range []string{"first.example", "second.example"} {
			if a.Verify(t, "mail-pack", c.key, instance).Get(t, "valid") != true ||
				a.Activate(t, c.key, instance).Status != http.StatusOK {
				t.Errorf("%s lost its seat", instance)
			}
		}
		testkit.WantFlatError(t, a.Activate(t, c.key, "third.example"), 400, "ACTIVATION_FAILED")
		a.Deactivate(t, c.key, "second.example")
		testkit.WantFlatError(t, a.Activate(t, c.key, "third.example"), 400, "ACTIVATION_FAILED")
		c.wantUpdates(t, 1)
	})
}

func TestOnlyWhatChangesALicenseMakesAVersion(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		c := newChanger(t, a)
		c.patch(t, `{"maxInstances":1}`, `"1"`, http.StatusOK)
		stale := c.patch(t, `{"maxInstances":2}`, `"1"`, http.StatusPreconditionFailed)
		if stale.Text(t, "error.code") != "PRECONDITION_FAILED" {
			t.Errorf("stale = %s", stale.Body)
		}
		c.patch(t, `{"maxInstances":1,"features":["Mails"],"unknown":1}`, "", http.StatusOK) // as it is
		if res := c.patch(t, `{"features":[]}`, `"2"`,
			http.StatusOK); fmt.Sprint(a.Verify(t, "mail-pack", c.key, "first.example").Get(t, "features")) != "[]" ||
			res.Header.Get("ETag") != `"3"` {
			t.Errorf("PATCH = %s", res.Body)
		}
		c.wantUpdates(t, 2)
	})
}

// With an end the license is a subscription; without one it is perpetual again.
func TestALicenseWithAnEndIsASubscription(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		c := newChanger(t, a)
		ending := c.patch(t, `{"expiresAt":"2030-03-01T13:00:00Z"}`, "", http.StatusOK)
		if ending.Text(t, "data.type") != "subscription" {
			t.Errorf("PATCH = %s", ending.Body)
		}
		a.Clock.Advance(time.Hour)
		testkit.WantRefused(t, a.Verify(t, "mail-pack", c.key, "first.example"), "expired")
		c.patch(t, `{"expiresAt":"1970-01-01T00:00:00Z"}`, "", http.StatusOK) // 0 in the database, where none is NULL
		testkit.WantRefused(t, a.Verify(t, "mail-pack", c.key, "first.example"), "expired")
		if res := c.patch(t, `{"expiresAt":null}`, "", http.StatusOK); res.Text(t, "data.type") != "perpetual" ||
			res.Text(t, "data.status") != "active" {
			t.Errorf("PATCH = %s", res.Body)
		}
		c.wantUpdates(t, 3)
	})
}

func TestChangesOfLicensesAreRefusedWithAllTheirFaults(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		c := newChanger(t, a)
		for body, want := range map[string]string{
			`{"maxInstances":0}`:                   "maxInstances",
			`{"maxInstances":1000001}`:             "maxInstances",
			`{"expiresAt":"0001-01-01T00:00:00Z"}`: "expiresAt",
			`{"features":["` + strings.Repeat("x", 201) +
				`",null],"maxInstances":"2","expiresAt":"2030-02-30T00:00:00Z"}`: "expiresAt features[0] " +
				"features[1] maxInstances",
			`{"features":[` + strings.Repeat(`"x",`, 200) + `"x"]}`: "features",
			`[]`: "",
		} {
			got := strings.Fields(testkit.IssuePaths(t, c.patch(t, body, "", http.StatusBadRequest)))
			slices.Sort(got)
			if strings.Join(got, " ") != want {
				t.Errorf("%.40s: faults %q, want %q", body, got, want)
			}
		}
		c.wantUpdates(t, 0)
		// As many and as long as can be.
		c.patch(t, `{"features":[`+strings.Repeat(`"x",`, 199)+`"`+strings.Repeat("x", 200)+`"]}`, "", http.StatusOK)
		c.wantUpdates(t, 1)
	})
}

func TestARevokedLicenseIsNotChanged(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		c := newChanger(t, a)
		manageLicense(t, a, c.token, http.MethodPost, "/"+c.id+"/revoke", "", http.StatusOK)
		if res := c.patch(t, `{"maxInstances":2}`, "", http.StatusConflict); res.Text(t, "error.code") != "CONFLICT" {
			t.Errorf("PATCH of a revoked license = %s", res.Body)
		}
		if diff := cmp.Diff([]string{"license.revoke license:" + c.id}, audited(t, a, c.token, "license")); diff != "" {
			t.Errorf("audit log (-want +got):\n%s", diff)
		}
	})
}

// Two administrators change what they read at the same time: one is refused.
func TestAChangeOfAStaleLicenseIsRefused(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		root, _, id := sellOne(t, a, "once")
		answers := make(chan int, 8)
		for i := range 8 {
			go func() {
				answers <- a.Do(t, testkit.Request{
					Method: http.MethodPatch, Path: adminLicenses + "/" + id, Token: root.Access,
					Body: fmt.Sprintf(`{"maxInstances":%d}`, i+10), Header: http.Header{"If-Match": {`"1"`}},
				}).Status
			}()
		}
		count := map[int]int{}
		for range 8 {
			count[<-answers]++
		}
		if count[http.StatusOK] != 1 || count[http.StatusPreconditionFailed] != 7 {
			t.Errorf("answers = %v, want one change and seven refusals", count)
		}
	})
}
