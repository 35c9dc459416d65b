package httpapi

import (
	"net/http"

	"stoa/internal/account"
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
