package takeover_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// browser is one that keeps stoa's cookies.
type browser struct {
	w       *world
	agent   string
	address string
	device  string
}

// send sends a request as a page does, and keeps the device cookie of the answer.
func (b *browser) send(t *testing.T, r testkit.Request) testkit.Response {
	t.Helper()
	r = by(r, b.agent, b.address)
	r.Header.Set("X-Refresh-Token", "cookie")
	r.Header.Set("Origin", b.w.URL)
	if b.device != "" {
		r.Header.Set("Cookie", "stoa-device="+b.device)
	}
	res := b.w.Do(t, r)
	for _, line := range res.Header.Values("Set-Cookie") {
		if value, rest, ok := strings.Cut(strings.TrimPrefix(line, "stoa-device="), ";"); ok && strings.HasPrefix(line, "stoa-device=") {
			b.device = value
			if want := " Path=/auth; Max-Age=34560000; HttpOnly; SameSite=Lax"; rest != want {
				t.Errorf("the cookie is for%s, want%s", rest, want)
			}
			if strings.Contains(string(res.Body), value) {
				t.Error("the body has the cookie's value")
			}
		}
	}
	return res
}

// signIn signs the victim in.
func (b *browser) signIn(t *testing.T, password string) string {
	t.Helper()
	res := b.send(t, testkit.SignIn(victims, password))
	if res.Status != http.StatusOK {
		t.Fatalf("sign-in = %d %s", res.Status, res.Body)
	}
	return res.Text(t, "data.access_token")
}

// isNews fails the test unless a sign-in from where nobody was before is told or not.
func (b *browser) isNews(t *testing.T, password string, want bool, what string) string {
	t.Helper()
	b.w.visits++
	b.address = fmt.Sprintf("198.51.100.%d", b.w.visits)
	before := len(b.w.newSignIns(t))
	token := b.signIn(t, password)
	b.w.Clock.Advance(minute)
	if got := len(b.w.newSignIns(t)) > before; got != want {
		t.Errorf("%s: told: %v, want %v", what, got, want)
	}
	return token
}

// Whoever signs in where they did before is not told of it; nobody else's browser is known.
func TestAKnownDeviceIsNoNewsAndNobodyElsesIs(t *testing.T) {
	t.Parallel()

	told(t, func(t *testing.T, w *world) {
		w.owned(t)
		mine := &browser{w: w, agent: firefox}
		mine.isNews(t, testkit.Password, true, "the first sign-in of a browser")
		kept := mine.device
		if len(kept) != 22 {
			t.Fatalf("the cookie is %q, want 128 bits", kept)
		}
		mine.isNews(t, testkit.Password, false, "from elsewhere, in a browser that is known")
		if mine.device != kept {
			t.Error("a known browser got another cookie")
		}
		mine.agent = chrome // it was updated
		mine.isNews(t, testkit.Password, false, "by another name")

		// The attacker has a cookie of their own account, and can set it in the victim's browser.
		theirs := &browser{w: w, agent: "x", address: "203.0.113.66"}
		theirs.send(t, testkit.Post("", "/auth/register", map[string]string{
			"email": attackers, "username": "mallory", "password": testkit.Password,
		}))
		chosen := theirs.device
		theirs.isNews(t, testkit.Password, true, "in a browser that another user is known by")
		tossed := &browser{w: w, agent: firefox, device: chosen}
		tossed.isNews(t, testkit.Password, true, "with a cookie that somebody else chose")
		if tossed.device == chosen || theirs.device == chosen {
			t.Error("a browser is known by a cookie that somebody else chose")
		}
		(&browser{w: w, agent: "y", device: chosen}).isNews(t, testkit.Password, true, "with the cookie that was chosen")

		// Programs that keep their tokens themselves have no cookie, and send none.
		res := w.Do(t, by(testkit.SignIn(victims, testkit.Password), firefox, "203.0.113.9"))
		if got := res.Header.Values("Set-Cookie"); len(got) != 0 {
			t.Errorf("a program got the cookies %q", got)
		}
		w.Clock.Advance(400 * 24 * time.Hour)
		mine.isNews(t, testkit.Password, true, "after 400 days")
	})
}

// A thief's browser does not stay known when its owner shuts it out.
func TestABrowserThatIsShutOutIsForgotten(t *testing.T) {
	t.Parallel()

	told(t, func(t *testing.T, w *world) {
		w.owned(t)
		password := testkit.Password
		for what, shut := range map[string]func(owner string){
			"all other sessions end": func(owner string) {
				w.Do(t, testkit.Delete(owner, "/auth/sessions"))
			},
			"its session ends": func(owner string) {
				for _, one := range w.Do(t, testkit.Get(owner, "/auth/sessions")).Get(t, "data.items").([]any) {
					if one := one.(map[string]any); one["current"] != true {
						w.Do(t, testkit.Delete(owner, "/auth/sessions/"+one["id"].(string)))
					}
				}
			},
			"the password changes": func(owner string) {
				w.post(t, owner, "/auth/change-password",
					map[string]string{"currentPassword": password, "newPassword": password + "!"}, http.StatusOK)
				password += "!"
			},
		} {
			mine, thief := &browser{w: w, agent: firefox}, &browser{w: w, agent: chrome}
			thief.isNews(t, password, true, "a thief")
			owner := mine.isNews(t, password, true, "the owner")
			shut(owner)
			mine.isNews(t, password, false, what+": the owner's own")
			thief.isNews(t, password, true, what+": the thief's")
		}
		mine := &browser{w: w, agent: firefox}
		mine.isNews(t, password, true, "the owner")
		w.Clock.Advance(2 * minute)
		w.reset(t, victims)
		mine.isNews(t, chosen, true, "the password was reset")
	})
}
