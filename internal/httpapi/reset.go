package httpapi

import (
	"net/http"
	"sync"

	"stoa/internal/account"
	"stoa/internal/pages"
)

// forgotPassword serves POST /auth/forgot-password. The answer is the same
// whether there is such a user or not.
func (s *Server) forgotPassword(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, account.ForgottenPassword.Issues)
	if err != nil {
		return err
	}
	if err := s.Accounts.ForgotPassword(r.Context(), in.Email); err != nil {
		return err
	}
	writeDone(w, "If there is an account with this e-mail address, a mail with a link is on its way. The link works for 30 minutes.")
	return nil
}

// resetPassword serves POST /auth/reset-password.
func (s *Server) resetPassword(w http.ResponseWriter, r *http.Request) error {
	in, err := readJSON(w, r, s.Accounts.PasswordResetIssues)
	if err != nil {
		return err
	}
	if err := s.Accounts.ResetPassword(r.Context(), in.Token, in.New); err != nil {
		return err
	}
	writeDone(w, "Password changed. All sessions have ended: sign in with the new password.")
	return nil
}

// theResetPage is the same for every server of a binary, so it is made once.
var theResetPage = sync.OnceValues(pages.Reset)

// resetPage serves GET /reset-password, where links in mails lead.
func (s *Server) resetPage(w http.ResponseWriter, r *http.Request) error {
	page, err := theResetPage()
	if err != nil {
		return err
	}
	writePage(w, r, page)
	return nil
}

// writePage answers with a page of stoa's own. What it has in its address stays
// there, and no other window can reach into it.
func writePage(w http.ResponseWriter, r *http.Request, page pages.Page) {
	w.Header().Set("Content-Security-Policy", page.Policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	writeCached(w, r, "text/html; charset=utf-8", entityTag(page.HTML), page.HTML)
}
