package httpapi

import (
	"net/http"
	"sync"

	"stoa/internal/pages"
)

// The pages of stoa's own. They are the same for every server of a binary.
var (
	resetPage = servePage(pages.Reset) // GET /reset-password, where links in mails lead
	claimPage = servePage(pages.Claim) // GET /claim-orders, where links in mails lead

	// GET /payment/success and /payment/cancelled, where buyers come back to from the
	// page of the payment provider. They know nothing of the order: the address is no
	// proof of anything.
	paidPage    = servePage(pages.Paid)
	notPaidPage = servePage(pages.NotPaid)

	setupForm = servePage(pages.Setup)
)

// servePage returns a handler that answers with a page, which is made once. What
// the page has in its address stays there, and no other window can reach into it.
func servePage(render func() (pages.Page, error)) handlerFunc {
	once := sync.OnceValues(render)
	return func(w http.ResponseWriter, r *http.Request) error {
		page, err := once()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Security-Policy", page.Policy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		writeCached(w, r, "text/html; charset=utf-8", entityTag(page.HTML), page.HTML)
		return nil
	}
}
