package shop_test

import (
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/testkit"
)

var claimLink = regexp.MustCompile(`(?m)^(http://\S+)/claim-orders#([A-Z2-7]{26})$`)

// mailsTitled returns the mails with a subject that were sent since the last
// call of App.Mails.
func mailsTitled(t *testing.T, a *testkit.App, subject string) []mail.Message {
	t.Helper()
	var found []mail.Message
	for _, m := range a.Mails(t) {
		if m.Subject == subject {
			found = append(found, m)
		}
	}
	return found
}

// askForClaim asks for a mail to claim orders, and returns the mails that were
// sent.
func askForClaim(t *testing.T, a *testkit.App, token string) []mail.Message {
	t.Helper()
	res := a.Do(t, testkit.Post(token, orders+"/claim-request", nil))
	if res.Status != http.StatusAccepted || res.Get(t, "success") != true {
		t.Fatalf("claim-request = %d %s, want 202", res.Status, res.Body)
	}
	return mailsTitled(t, a, "Claim your orders")
}

// claimToken asks for a mail as the user ada and returns the token in it.
func claimToken(t *testing.T, a *testkit.App, token string) string {
	t.Helper()
	const to = "ada@example.com"
	mails := askForClaim(t, a, token)
	if len(mails) != 1 || mails[0].To != to {
		t.Fatalf("mails = %+v, want one to %s", mails, to)
	}
	m := claimLink.FindStringSubmatch(mails[0].Text)
	if m == nil || m[1] != a.URL {
		t.Fatalf("no link to %s in:\n%s", a.URL, mails[0].Text)
	}
	return m[2]
}

func claim(t *testing.T, a *testkit.App, token, claimToken string) testkit.Response {
	t.Helper()
	return a.Do(t, testkit.Post(token, orders+"/claim", map[string]string{"token": claimToken}))
}

// ownerOf returns the owner of a purchase of mail-pack, and checks that order
// and license agree.
func ownerOf(t *testing.T, a *testkit.App, purchase testkit.Response) string {
	t.Helper()
	key, err := license.ParseKey(purchase.Text(t, "licenseKey"))
	if err != nil {
		t.Fatal(err)
	}
	o, err := a.Orders.Store.OrderByID(t.Context(), purchase.Text(t, "orderId"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Licenses.Store.LicenseByKey(t.Context(), "mail-pack", a.Licenses.Vault.Hash(key), "x")
	if err != nil || u.License.UserID != o.UserID {
		t.Fatalf("the order is %s's, the license %s's (%v)", o.UserID, u.License.UserID, err)
	}
	return o.UserID
}

func TestOrdersWithoutAnAccountAreClaimedByWhoReadsTheMail(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		hers := []testkit.Response{
			a.Order(t, "", "once", "ada@example.com"),
			a.Order(t, "", "free", " ADA@Example.COM "), a.Order(t, "", "yearly", "Ada@example.com"),
		}
		others := []testkit.Response{
			a.Order(t, "", "once", "bob@example.com"), a.Order(t, "", "once", ""),
			a.Order(t, "", "once", "ada@example.com, bob@example.com"),
			a.Order(t, "", "once", "not an address"), a.Order(t, "", "once", "ada@example.com.evil.com"),
		}
		bob, ada := a.Register(t, "bob"), a.Register(t, "ada")
		bobs := a.Order(t, bob.Access, "once", "ada@example.com") // has an owner

		token := claimToken(t, a, ada.Access)
		if got := orderIDs(t, listOrders(t, a, ada.Access, "")); len(got) != 0 {
			t.Errorf("before the claim ada has %v", got)
		}
		if res := claim(t, a, ada.Access, token); res.Status != http.StatusOK || res.Get(t, "claimed") != 3.0 {
			t.Fatalf("claim = %d %s, want 3", res.Status, res.Body)
		}
		if got := orderIDs(t, listOrders(t, a, ada.Access, "")); len(got) != 3 {
			t.Errorf("after the claim ada has %v, want 3 orders", got)
		}
		for _, p := range hers {
			if got := ownerOf(t, a, p); got != ada.UserID {
				t.Errorf("an order is %s's, want ada's", got)
			}
		}
		for i, p := range others {
			if got := ownerOf(t, a, p); got != "anonymous" {
				t.Errorf("order %d of another buyer is %s's", i, got)
			}
		}
		if got := ownerOf(t, a, bobs); got != bob.UserID {
			t.Errorf("bob's order is %s's", got)
		}
		testkit.WantFlatError(t, claim(t, a, ada.Access, token), http.StatusBadRequest, "INVALID_CLAIM_TOKEN") // once
		if mails := askForClaim(t, a, ada.Access); len(mails) != 0 {
			t.Errorf("nothing is left to claim, and there is a mail: %+v", mails)
		}
	})
}

// E-mail addresses of accounts are not verified: registering with an address
// proves nothing about its mailbox.
func TestHoldingAnAccountWithTheAddressAloneClaimsNothing(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		p := a.Order(t, "", "once", "victim@example.com")
		thief, accomplice := a.Register(t, "victim"), a.Register(t, "other")

		with, without := a.Do(t, testkit.Post(thief.Access, orders+"/claim-request", nil)),
			a.Do(t, testkit.Post(accomplice.Access, orders+"/claim-request", nil))
		if with.Status != without.Status || string(with.Body) != string(without.Body) {
			t.Errorf("the answer reveals whether there are orders: %s, %s", with.Body, without.Body)
		}
		mails := mailsTitled(t, a, "Claim your orders")
		if len(mails) != 1 || mails[0].To != "victim@example.com" {
			t.Fatalf("mails = %+v, want one, to the address of the order", mails)
		}
		token := claimLink.FindStringSubmatch(mails[0].Text)[2]
		for name, guess := range map[string]string{
			"no token": "x", "a made up one": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "the order's id": p.Text(t, "orderId"),
		} {
			res := claim(t, a, thief.Access, guess)
			if testkit.WantFlatError(t, res, http.StatusBadRequest, "INVALID_CLAIM_TOKEN"); t.Failed() {
				t.Errorf("with %s", name)
			}
		}
		// A token works only for the account that asked for it.
		testkit.WantFlatError(t, claim(t, a, accomplice.Access, token), http.StatusBadRequest, "INVALID_CLAIM_TOKEN")
		for _, who := range []testkit.Tokens{thief, accomplice} {
			if got := orderIDs(t, listOrders(t, a, who.Access, "")); len(got) != 0 {
				t.Errorf("orders = %v, want none", got)
			}
		}
		if got := ownerOf(t, a, p); got != "anonymous" {
			t.Errorf("the order is %s's", got)
		}
		if res := claim(t, a, thief.Access, token); res.Get(t, "claimed") != 1.0 {
			t.Errorf("the wrong caller used the token up: %d %s", res.Status, res.Body)
		}
	})
}

func TestAClaimTokenWorksForOneHour(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	a.Order(t, "", "once", "ada@example.com")
	ada := a.Register(t, "ada")
	token := claimToken(t, a, ada.Access)
	a.Clock.Advance(order.ClaimLife)
	testkit.WantFlatError(t, claim(t, a, ada.Access, token), http.StatusBadRequest, "INVALID_CLAIM_TOKEN")
	first, second := claimToken(t, a, ada.Access), claimToken(t, a, ada.Access)
	a.Clock.Advance(order.ClaimLife - time.Millisecond)
	if res := claim(t, a, ada.Access, first); res.Get(t, "claimed") != 1.0 {
		t.Errorf("a millisecond early: %d %s", res.Status, res.Body)
	}
	a.Order(t, "", "once", "ada@example.com")
	testkit.WantFlatError(t, claim(t, a, ada.Access, second), http.StatusBadRequest,
		"INVALID_CLAIM_TOKEN") // void since the first was used
}

// Nobody can flood another's mailbox.
func TestClaimMailsAreLimitedByAddress(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		a.Order(t, "", "once", "ada@example.com")
		a.Order(t, "", "once", "ada+shop@example.com")
		ada := a.Register(t, "ada")
		for i, want := range []int{1, 1, 1, 0, 0} {
			if got := askForClaim(t, a, ada.Access); len(got) != want {
				t.Errorf("request %d: %d mails, want %d", i+1, len(got), want)
			}
		}
		// Another address of the same mailbox counts as well.
		plus := a.Send(t, "/auth/register", map[string]any{
			"email": "ada+shop@example.com", "username": "plus", "password": "secret1",
		})
		if got := askForClaim(t, a, plus.Text(t, "data.access_token")); len(got) != 0 {
			t.Errorf("to another address of the mailbox: %d mails", len(got))
		}
		a.Clock.Advance(20*time.Minute - time.Millisecond)
		if got := askForClaim(t, a, ada.Access); len(got) != 0 {
			t.Errorf("a millisecond early: %d mails", len(got))
		}
		a.Clock.Advance(time.Millisecond)
		if got := len(askForClaim(t, a, ada.Access)) + len(askForClaim(t, a, ada.Access)); got != 1 {
			t.Errorf("20 minutes later: %d mails, want 1", got)
		}
	})
}

func TestOneTokenClaimsOnce(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		a.Order(t, "", "once", "ada@example.com")
		a.Order(t, "", "once", "ada@example.com")
		ada := a.Register(t, "ada")
		token := claimToken(t, a, ada.Access)
		var (
			wg            sync.WaitGroup
			good, claimed atomic.Int32
		)
		for range 8 {
			wg.Go(func() {
				res := claim(t, a, ada.Access, token)
				if res.Status == http.StatusOK {
					good.Add(1)
					n, _ := res.Get(t, "claimed").(float64)
					claimed.Add(int32(n))
				}
			})
		}
		wg.Wait()
		if good.Load() != 1 || claimed.Load() != 2 {
			t.Errorf("%d calls claimed %d orders, want one call and both", good.Load(), claimed.Load())
		}
	})
}
