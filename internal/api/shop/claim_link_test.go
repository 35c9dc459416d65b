package shop_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/order"
	"stoa/internal/testkit"
)

// receiptToken returns the token in the receipt of a guest's order, which is mailed to
// ada@example.com.
func receiptToken(t *testing.T, a *testkit.App) string {
	t.Helper()
	const to = "ada@example.com"
	a.Order(t, "", "once", to)
	mails := a.Mails(t)
	if len(mails) != 1 || mails[0].To != to {
		t.Fatalf("mails = %+v, want one to %s", mails, to)
	}
	m := claimLink.FindStringSubmatch(mails[0].Text)
	if m == nil || m[1] != a.URL {
		t.Fatalf("no link to %s in:\n%s", a.URL, mails[0].Text)
	}
	return m[2]
}

func openLink(t *testing.T, a *testkit.App, token string) testkit.Response {
	t.Helper()
	return a.Do(t, testkit.Post("", orders+"/claim-link", map[string]string{"token": token}))
}

// The link in the receipt is all that a guest needs: it proves the address, and the account created with
// it takes over the orders.
func TestTheLinkInAReceiptBringsOrdersIntoANewAccount(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		earlier := receiptToken(t, a)
		token := receiptToken(t, a)
		for range 2 { // looking does not use it up
			res := openLink(t, a, token)
			want := map[string]any{"email": "ada@example.com", "hasAccount": false}
			if diff := cmp.Diff(want, res.JSON(t)); res.Status != http.StatusOK || diff != "" {
				t.Fatalf("claim-link = %d (-want +got):\n%s", res.Status, diff)
			}
			if got := res.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("claim-link may be kept: Cache-Control = %q", got)
			}
		}
		bob, ada := a.Register(t, "bob"), a.Register(t, "ada")
		if res := openLink(t, a, token); res.Get(t, "hasAccount") != true {
			t.Errorf("claim-link = %s, want an account", res.Body)
		}
		testkit.WantFlatError(t, claim(t, a, bob.Access, token), http.StatusBadRequest, "INVALID_CLAIM_TOKEN")
		if res := claim(t, a, ada.Access, token); res.Status != http.StatusOK || res.Get(t, "claimed") != 2.0 {
			t.Fatalf("claim = %d %s, want 2", res.Status, res.Body)
		}
		for _, used := range []string{token, earlier} {
			testkit.WantFlatError(t, openLink(t, a, used), http.StatusBadRequest, "INVALID_CLAIM_TOKEN")
			testkit.WantFlatError(t, claim(t, a, ada.Access, used), http.StatusBadRequest, "INVALID_CLAIM_TOKEN")
		}
	})
}

// Nothing is left to take over once the orders have an owner, however they got it.
func TestTheLinkInAReceiptEndsWithItsOrders(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	token := receiptToken(t, a)
	ada := a.Register(t, "ada")
	mailed := claimToken(t, a, ada.Access)
	testkit.WantFlatError(t, openLink(t, a, mailed), http.StatusBadRequest, "INVALID_CLAIM_TOKEN") // another kind
	if res := claim(t, a, ada.Access, mailed); res.Status != http.StatusOK {
		t.Fatal(string(res.Body))
	}
	testkit.WantFlatError(t, openLink(t, a, token), http.StatusBadRequest, "INVALID_CLAIM_TOKEN")
}

func TestTheLinkInAReceiptWorksForSevenDays(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	token := receiptToken(t, a)
	a.Clock.Advance(order.LinkLife - time.Millisecond)
	if res := openLink(t, a, token); res.Status != http.StatusOK {
		t.Errorf("at its end: %s", res.Body)
	}
	a.Clock.Advance(time.Millisecond)
	testkit.WantFlatError(t, openLink(t, a, token), http.StatusBadRequest, "INVALID_CLAIM_TOKEN")
	ada := a.Register(t, "ada")
	testkit.WantFlatError(t, claim(t, a, ada.Access, token), http.StatusBadRequest, "INVALID_CLAIM_TOKEN")
}

// The receipts of users have no such link: their orders have an owner.
func TestReceiptsOfUsersHaveNoLink(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	ada := a.Register(t, "ada")
	a.Order(t, ada.Access, "once", "ada@example.com")
	if mails := a.Mails(t); len(mails) != 1 || claimLink.MatchString(mails[0].Text) {
		t.Errorf("mails = %+v, want one without a link", mails)
	}
}

func TestALinkIsUsedOnce(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		token, ada := receiptToken(t, a), a.Register(t, "ada")
		var (
			wg   sync.WaitGroup
			once atomic.Int32
		)
		for range 6 {
			wg.Go(func() {
				if claim(t, a, ada.Access, token).Status == http.StatusOK {
					once.Add(1)
				}
			})
		}
		wg.Wait()
		if once.Load() != 1 {
			t.Errorf("the link worked %d times, want once", once.Load())
		}
	})
}
