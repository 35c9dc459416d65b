package takeover_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa/internal/account/apikey"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/testkit"
	"stoa/internal/testkit/ziptest"
)

// slowBody is a body during whose sending something else happens, after its sender was let in.
type slowBody struct {
	io.Reader

	meanwhile func()
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.meanwhile != nil {
		b.meanwhile()
		b.meanwhile = nil
	}
	return b.Reader.Read(p)
}

// slowly returns the answer to a request while whose body is sent something else happens.
func (w *world) slowly(
	t *testing.T, token, method, path, media string, body []byte, meanwhile func(),
) *httptest.ResponseRecorder {
	t.Helper()
	happened := false
	r := httptest.NewRequestWithContext(t.Context(), method, w.URL+path, &slowBody{
		bytes.NewReader(body), func() { happened = true; meanwhile() },
	})
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", media)
	rec := httptest.NewRecorder()
	w.Handler.ServeHTTP(rec, r)
	if !happened {
		t.Errorf("%s %s does not ask for the body: %d %s", method, path, rec.Code, rec.Body)
	}
	return rec
}

// refusedAfter fails the test unless a request is answered 401 whose sender loses something while sending the body.
func (w *world) refusedAfter(t *testing.T, what, token, method, path, media string, body []byte, meanwhile func()) {
	t.Helper()
	rec := w.slowly(t, token, method, path, media, body, meanwhile)
	if rec.Code != http.StatusUnauthorized || !bytes.Contains(rec.Body.Bytes(), []byte(`"UNAUTHORIZED"`)) {
		t.Errorf("%s: %d %s, want 401 UNAUTHORIZED", what, rec.Code, rec.Body)
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A request that was let in before its sender was signed out makes no key, which would outlive every password.
func TestNoKeyIsMadeByWhomARecoverySignedOut(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		thief := w.proven(t, victims, "ada") // the attacker knows the password
		form := asJSON(t, keyForm("self:read"))
		w.refusedAfter(t, "a key", thief.Access, http.MethodPost, apiKeys, "application/json", form,
			func() { w.reset(t, victims) })
		change := func(from, to string) {
			w.post(t, w.signIn(t, victims, from).Access, "/auth/change-password",
				map[string]string{"currentPassword": from, "newPassword": to}, http.StatusOK)
		}
		thief = w.signIn(t, victims, chosen)
		w.refusedAfter(t, "another key", thief.Access, http.MethodPost, apiKeys, "application/json", form,
			func() { change(chosen, testkit.Password) })

		// Also if it was sent at once, and waits for the lock of the account.
		who, err := w.Accounts.Authenticate(t.Context(), w.signIn(t, victims, testkit.Password).Access)
		if err != nil {
			t.Fatal(err)
		}
		change(testkit.Password, chosen)
		if _, err := w.Keys.CreateMine(t.Context(), who.UserID, who.SessionID, apikey.Form{
			Name: "a script", Scopes: []permission.Name{apikey.SelfRead},
		}); err == nil {
			t.Error("a session that has ended made a key")
		}
		session := w.signIn(t, victims, chosen)
		id, _ := w.key(t, session.Access, "self:read")
		if who, err = w.Accounts.Authenticate(t.Context(), session.Access); err != nil {
			t.Fatal(err)
		}
		w.post(t, session.Access, "/auth/logout", nil, http.StatusOK) // the key goes on
		if _, err := w.Keys.RotateMine(t.Context(), who.UserID, who.SessionID, id); errs.KindOf(err) != errs.Unauthenticated {
			t.Errorf("a session that has ended got another secret of a key: %v", err)
		}
		w.Do(t, testkit.Delete(w.signIn(t, victims, chosen).Access, apiKeys+"/"+id))
		keys := w.sees(t, w.signIn(t, victims, chosen).Access, apiKeys, http.StatusOK).Get(t, "data.items").([]any)
		if len(keys) != 0 {
			t.Errorf("there are keys: %v", keys)
		}
	})
}

// Whoever loses rights while they send a request does not use them for it: they could give them to somebody else, for
// ever.
func TestNobodyUsesRightsThatWereTakenWhileTheySend(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.Admin(t, "root")
		accomplice := w.proven(t, attackers, "eve")
		account, _, _ := w.service(t, root.Access, "orders:read")
		archive := ziptest.Plugin(t, testkit.ExternalManifest("mine", "https://plugin.example"), nil)
		form := new(bytes.Buffer)
		parts := multipart.NewWriter(form)
		part, err := parts.CreateFormFile("file", "mine.zip")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write(archive)
		_ = parts.Close()

		tries := 0
		for what, req := range map[string]struct {
			method, path, media string
			body                []byte
		}{
			"a role": {
				http.MethodPatch, "/api/v1/admin/users/" + accomplice.UserID, "application/json",
				asJSON(t, map[string]string{"role": "ADMIN"}),
			},
			"a key": {
				http.MethodPost, services + "/" + account + "/keys", "application/json", asJSON(t, keyForm("orders:read")),
			},
			"a package":           {http.MethodPost, "/api/v1/admin/extensions/plugin/install", "application/zip", archive},
			"a package in a form": {http.MethodPost, "/api/v1/admin/extensions/plugin/install", parts.FormDataContentType(), form.Bytes()},
		} {
			for how, change := range map[string]map[string]any{
				"deactivated": {"active": false}, "demoted": {"role": "SUPPORT"},
			} {
				mallory := w.Admin(t, fmt.Sprintf("mallory%d", tries))
				tries++
				w.refusedAfter(t, what+", "+how, mallory.Access, req.method, req.path, req.media, req.body, func() {
					res := w.Do(t, testkit.Patch(root.Access, "/api/v1/admin/users/"+mallory.UserID, change))
					if res.Status != http.StatusOK {
						t.Fatalf("%v: %d %s", change, res.Status, res.Body)
					}
				})
			}
		}
		if got := w.sees(t, root.Access, "/api/v1/admin/users/"+accomplice.UserID, http.StatusOK).Text(t, "data.role"); got != "USER" {
			t.Errorf("the accomplice is %s", got)
		}
	})
}

// A secret that was replaced is dead for what was begun with it, too.
func TestAReplacedSecretEndsWhatIsBeingSentWithIt(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		id, key := w.key(t, owner.Access, "self:read", "self:write")
		w.refusedAfter(t, "a purchase", key, http.MethodPost, "/api/marketplace/products/mail-pack/purchase",
			"application/json", []byte(`{}`), func() {
				w.post(t, owner.Access, apiKeys+"/"+id+"/rotate", nil, http.StatusCreated)
				w.Clock.Advance(25 * time.Hour)
			})
	})
}

// Whoever gains something while they send is not sent away for it.
func TestWhoGainsARightWhileTheySendIsNotRefused(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, member := w.Admin(t, "root"), w.proven(t, victims, "ada")
		w.ownRole(t, "EDITOR", "products:read products:write")
		w.role(t, member.UserID, "EDITOR")
		token := w.signIn(t, victims, testkit.Password).Access
		rec := w.slowly(t, token, http.MethodPost, "/api/v1/admin/products", "application/json", []byte(`{}`), func() {
			more := map[string]any{"permissions": []string{"products:read", "products:write", "orders:read"}}
			if res := w.Do(t, testkit.Patch(root.Access, "/api/v1/admin/roles/EDITOR", more)); res.Status != http.StatusOK {
				t.Fatalf("%d %s", res.Status, res.Body)
			}
		})
		if rec.Code != http.StatusBadRequest {
			t.Errorf("%d %s, want the faults of the product", rec.Code, rec.Body)
		}
	})
}
