package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/operate/settings"
	"stoa/internal/testkit"
)

const signInPath = "/api/v1/admin/sign-in-settings"

// state returns a setting as "value source default asvs".
func state(t *testing.T, res testkit.Response, name string) string {
	t.Helper()
	at := func(field string) any { return res.Get(t, "data."+name+"."+field) }
	return fmt.Sprint(at("value"), " ", at("source"), " ", at("default"), " ", at("asvs"))
}

// free is a stoa whose operator fixes nothing about sign-in.
func free(_ testing.TB, cfg *app.Config) { cfg.SignIn = settings.SignIn{} }

func TestSettingsAboutSignInHoldAtOnce(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.New(t, append(options, free)...)
		root := a.Admin(t, "root").Access
		before := a.Do(t, testkit.Get(root, signInPath))
		for name, want := range map[string]string{
			"authPolicy": "standard default standard asvs", "passwordPolicy": "standard default standard asvs",
			"breachedPasswords": "off default off builtin", "registration": "open default open mail-first",
			"staffSecondFactor": "encourage default encourage required", "sessionMax": "0 default 0 2.592e+06",
			"staffSessionMax": "0 default 0 43200", "adminReauth": "0 default 0 1800",
			"emailSignIn": "false default false false", "newSignInMail": "true default true true",
			"impersonation": "notify default notify notify",
		} {
			if got := state(t, before, name); got != want {
				t.Errorf("%s = %s, want %s", name, got, want)
			}
		}
		if before.Get(t, "data.mail") != true || before.Get(t, "data.passkeys.available") != false {
			t.Errorf("GET = %s", before.Body)
		}
		tag := before.Header.Get("ETag")
		change := func(body string, status int, tags ...string) testkit.Response {
			t.Helper()
			return manage(t, a, root, http.MethodPatch, signInPath, body, status, tags...)
		}
		after := change(`{"registration":"closed","passwordPolicy":"asvs","emailSignIn":true,"sessionMax":7200}`, http.StatusOK, tag)
		if got := state(t, after, "staffSessionMax"); got != "7200 default 7200 7200" || after.Header.Get("ETag") == tag ||
			after.Get(t, "data.updatedAt") == nil {
			t.Errorf("staffSessionMax = %s in %s", got, after.Body)
		}
		testkit.WantError(t, change(`{"registration":"open"}`, http.StatusPreconditionFailed, tag),
			http.StatusPreconditionFailed, "PRECONDITION_FAILED")
		methods := a.Do(t, testkit.Get("", "/auth/methods"))
		if methods.Text(t, "data.registration") != "closed" || methods.Get(t, "data.emailLink") != true {
			t.Errorf("methods = %s", methods.Body)
		}
		if shop := a.Do(t, testkit.Get("", shopSettingsPath)); shop.Get(t, "data.registration.minPasswordLength") != 8.0 {
			t.Errorf("shop = %s", shop.Body)
		}
		testkit.WantError(t, a.Do(t, testkit.Post("", "/auth/register", map[string]string{
			"email": "a@example.com", "username": "ada", "password": testkit.Password,
		})), http.StatusForbidden, "REGISTRATION_CLOSED")
		change(`{"registration":"closed","emailSignIn":true}`, http.StatusOK) // changes nothing
		back := change(`{"registration":null,"emailSignIn":null,"passwordPolicy":null,"sessionMax":null}`, http.StatusOK)
		if got := state(t, back, "registration"); got != "open default open mail-first" {
			t.Errorf("registration = %s", got)
		}
		a.Register(t, "ada")
		if got := audited(t, a, root, "signin.settings"); len(got) != 2 {
			t.Errorf("audited: %q", got)
		}
		log := string(a.Do(t, testkit.Get(root, "/api/v1/admin/audit?action=signin.settings")).Body)
		if !strings.Contains(log, `"sessionMax":7200`) || !strings.Contains(log, `"registration":null`) {
			t.Errorf("the audit log has no values: %s", log)
		}
		a.Clock.Advance(time.Hour)
		change(`{"staffSessionMax":3600}`, http.StatusForbidden) // nobody proved to be there lately
	})
}

func TestOnePolicySetsWhatNobodySetByItself(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.SignIn = settings.SignIn{PasswordPolicy: "standard", SessionMax: "48h", StaffSessionMax: "48h"}
	})
	root := a.Admin(t, "root").Access
	res := manage(t, a, root, http.MethodPatch, signInPath,
		`{"authPolicy":"asvs","registration":"open","staffSecondFactor":"off"}`, http.StatusOK)
	for name, want := range map[string]string{
		"authPolicy": "asvs setting standard asvs", "passwordPolicy": "standard environment asvs standard",
		"breachedPasswords": "builtin policy builtin builtin", "registration": "open setting mail-first open",
		"staffSecondFactor": "off setting required off", "sessionMax": "172800 environment 2.592e+06 172800",
		"staffSessionMax": "172800 environment 43200 172800", "adminReauth": "1800 policy 1800 1800",
	} {
		if got := state(t, res, name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	res = a.Do(t, testkit.Patch(root, signInPath, `{"sessionMax":3600,"passwordPolicy":null,"staffSessionMax":0}`))
	if got := testkit.IssuePaths(t, res); got != "passwordPolicy sessionMax staffSessionMax" {
		t.Errorf("issues of %q", got)
	}
	for _, variable := range []string{"STOA_PASSWORD_POLICY", "STOA_SESSION_MAX"} {
		if !strings.Contains(string(res.Body), variable) {
			t.Errorf("%s is not named: %s", variable, res.Body)
		}
	}
}

// Whoever lets customers stay for longer means no administrators.
func TestSessionsOfStaffEndAtTheSooner(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, free)
	root := a.Admin(t, "root").Access
	for _, tt := range []struct{ change, want string }{
		{`{"authPolicy":"asvs","staffSecondFactor":"off"}`, "43200 policy"},
		{`{"sessionMax":31536000}`, "43200 policy"},
		{`{"sessionMax":0}`, "43200 policy"},
		{`{"sessionMax":3600}`, "3600 default"},
		{`{"staffSessionMax":0}`, "0 setting"},
		{`{"staffSessionMax":null,"sessionMax":null,"authPolicy":null}`, "0 default"},
	} {
		res := manage(t, a, root, http.MethodPatch, signInPath, tt.change, http.StatusOK)
		if got := state(t, res, "staffSessionMax"); !strings.HasPrefix(got, tt.want+" ") {
			t.Errorf("%s: %s, want %s", tt.change, got, tt.want)
		}
	}
}

func TestSettingsAboutSignInNameEveryFault(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, free, func(_ testing.TB, cfg *app.Config) { cfg.Mailer = nil })
	root := a.Admin(t, "root").Access
	for body, want := range map[string]string{
		`{"authPolicy":"strict","passwordPolicy":"","registration":7,"staffSecondFactor":"sometimes"}`: "authPolicy passwordPolicy registration staffSecondFactor",
		`{"breachedPasswords":"file"}`:                                           "breachedPasswords",
		`{"breachedPasswords":"/etc/passwords"}`:                                 "breachedPasswords",
		`{"sessionMax":3599,"adminReauth":59}`:                                   "adminReauth sessionMax",
		`{"sessionMax":31536001}`:                                                "sessionMax",
		`{"staffSessionMax":1e300}`:                                              "staffSessionMax",
		`{"staffSessionMax":3599}`:                                               "staffSessionMax",
		`{"adminReauth":86401}`:                                                  "adminReauth",
		`{"adminReauth":-1}`:                                                     "adminReauth",
		`{"sessionMax":3600.5,"adminReauth":"1h"}`:                               "adminReauth sessionMax",
		`{"emailSignIn":"on","newSignInMail":1}`:                                 "emailSignIn newSignInMail",
		`{"registrations":"open"}`:                                               "registrations",
		`{"registration":"mail-first"}`:                                          "registration",
		`{"authPolicy":"asvs"}`:                                                  "authPolicy",
		`{"staffSecondFactor":"passkey"}`:                                        "staffSecondFactor",
		`{"authPolicy":"asvs","registration":"mail-first","sessionMax":1,"x":1}`: "registration sessionMax x",
	} {
		res := a.Do(t, testkit.Patch(root, signInPath, body))
		got := strings.Fields(testkit.IssuePaths(t, res))
		for _, path := range strings.Fields(want) {
			if res.Status != http.StatusBadRequest || !strings.Contains(" "+strings.Join(got, " ")+" ", " "+path+" ") {
				t.Errorf("PATCH %s = %d, faults of %q, want of %q", body, res.Status, got, want)
			}
		}
		if len(got) != len(strings.Fields(want)) {
			t.Errorf("PATCH %s: faults of %q, want of %q", body, got, want)
		}
	}
	for _, body := range []string{
		`{"sessionMax":3600,"staffSessionMax":31536000,"adminReauth":60}`, `{"sessionMax":31536000,"staffSessionMax":3600,"adminReauth":86400}`,
		`{"sessionMax":0,"staffSessionMax":0,"adminReauth":0}`, `{"authPolicy":"asvs","registration":"open","staffSecondFactor":"off"}`,
		`{"updatedAt":"2001-01-01T00:00:00.000Z","mail":false}`,
	} {
		if res := a.Do(t, testkit.Patch(root, signInPath, body)); res.Status != http.StatusOK {
			t.Errorf("PATCH %s = %d %s", body, res.Status, res.Body)
		}
	}
	user := a.Register(t, "ada").Access
	for token, want := range map[string]int{"": http.StatusUnauthorized, user: http.StatusForbidden} {
		if res := a.Do(t, testkit.Patch(token, signInPath, `{"registration":"closed"}`)); res.Status != want {
			t.Errorf("PATCH = %d, want %d", res.Status, want)
		}
		if res := a.Do(t, testkit.Get(token, signInPath)); res.Status != want {
			t.Errorf("GET = %d, want %d", res.Status, want)
		}
	}
}

// What a later release stored and this one does not know counts as not set, so that going back locks nobody out.
func TestValuesThatALaterReleaseStoredAreNotSet(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, free)
	root := a.Admin(t, "root").Access
	stored, _ := json.Marshal(map[string]string{
		"registration": "by-invitation", "sessionMax": "1ns", "staffSecondFactor": "off", "novelty": "x",
	})
	if _, err := a.DB.Conn().Write.ExecContext(t.Context(),
		`UPDATE sign_in_settings SET values_json = $1, version = version + 1 WHERE id = 1`, string(stored)); err != nil {
		t.Fatal(err)
	}
	res := a.Do(t, testkit.Get(root, signInPath))
	if got := state(t, res, "registration") + state(t, res, "sessionMax") + state(t, res, "staffSecondFactor"); got !=
		"open default open mail-first"+"0 default 0 2.592e+06"+"off setting encourage off" {
		t.Errorf("GET = %s", got)
	}
}

func TestSettingsAboutSignInHoldAfterARestart(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "stoa.db")
	at := func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = path }
	a := testkit.New(t, free, at)
	manage(t, a, a.Admin(t, "root").Access, http.MethodPatch, signInPath, `{"registration":"closed"}`, http.StatusOK)
	if got := testkit.New(t, free, at).Do(t, testkit.Get("", "/auth/methods")).Text(t, "data.registration"); got != "closed" {
		t.Errorf("registration is %s", got)
	}
}
