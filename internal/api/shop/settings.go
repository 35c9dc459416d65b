package shop

import (
	"cmp"
	"net/http"

	"stoa/internal/account"
	"stoa/internal/api/web"
)

// settings are the shop's settings that a storefront needs.
type settings struct {
	ShopName     string  `json:"shopName"`
	Accent       *string `json:"accent"`
	SupportEmail *string `json:"supportEmail"`
	SupportURL   *string `json:"supportUrl"`
	TermsURL     *string `json:"termsUrl"`
	PrivacyURL   *string `json:"privacyUrl"`
	Payments     string  `json:"payments"`
	SellsPaid    bool    `json:"sellsPaid"`
	SetUp        bool    `json:"setUp"`

	Registration registration `json:"registration"`
}

// registration is the data for the registration form.
type registration struct {
	Open              bool                     `json:"open"`
	Mode              account.RegistrationMode `json:"mode"`
	MinPasswordLength int                      `json:"minPasswordLength"`
	PasswordRules     string                   `json:"passwordRules"`
}

// Settings serves GET /api/v1/shop/settings.
func (h *Handlers) Settings(w http.ResponseWriter, r *http.Request) error {
	set, err := h.Site.Get(r.Context())
	if err != nil {
		return err
	}
	needed, err := h.Accounts.NeedsSetup(r.Context())
	if err != nil {
		return err
	}
	payments := "live"
	if h.Orders.TestPayments() {
		payments = "test"
	}
	rules, err := h.Accounts.Rules(r.Context())
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, settings{
		ShopName: cmp.Or(set.Name, h.Site.Default()), Accent: web.OrNull(set.Accent),
		SupportEmail: web.OrNull(set.SupportEmail),
		SupportURL:   web.OrNull(set.SupportURL), TermsURL: web.OrNull(set.TermsURL), PrivacyURL: web.OrNull(set.PrivacyURL),
		Payments: payments, SellsPaid: h.Orders.SellsPaid(), SetUp: !needed,
		Registration: registration{
			Open: rules.Registration == account.RegistrationOpen, Mode: rules.Registration,
			MinPasswordLength: rules.Policy.MinLength(), PasswordRules: rules.Policy.PasswordRules(),
		},
	})
	return nil
}
