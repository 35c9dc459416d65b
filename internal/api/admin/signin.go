package admin

import (
	"encoding/json"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/operate/signin"
)

// signInSetting is a setting about sign-in as administrators see it. Its values are strings, numbers of seconds (0:
// off), or booleans.
type signInSetting struct {
	Value  any           `json:"value"`
	Source signin.Source `json:"source"`
	// Changeable says that the operator has not set Variable, which wins.
	Changeable bool   `json:"changeable"`
	Variable   string `json:"variable"`
	// Default is what holds while the setting is not made by itself, ASVS what would hold with that policy.
	Default any `json:"default"`
	ASVS    any `json:"asvs"`
}

// signInSettings has all of them, and what of the platform they depend on.
type signInSettings struct {
	AuthPolicy        signInSetting `json:"authPolicy"`
	PasswordPolicy    signInSetting `json:"passwordPolicy"`
	BreachedPasswords signInSetting `json:"breachedPasswords"`
	Registration      signInSetting `json:"registration"`
	StaffSecondFactor signInSetting `json:"staffSecondFactor"`
	SessionMax        signInSetting `json:"sessionMax"`
	StaffSessionMax   signInSetting `json:"staffSessionMax"`
	AdminReauth       signInSetting `json:"adminReauth"`
	EmailSignIn       signInSetting `json:"emailSignIn"`
	NewSignInMail     signInSetting `json:"newSignInMail"`
	Impersonation     signInSetting `json:"impersonation"`
	// Mail says that mails are sent.
	Mail      bool          `json:"mail"`
	Passkeys  passkeyParty  `json:"passkeys"`
	UpdatedAt web.Timestamp `json:"updatedAt,omitzero"`
}

// passkeyParty is for whom browsers make passkeys.
type passkeyParty struct {
	Available bool     `json:"available"`
	RPID      *string  `json:"rpId"`
	Origins   []string `json:"origins"`
}

// GetSignInSettings serves GET /api/v1/admin/sign-in-settings.
func (h *Handlers) GetSignInSettings(w http.ResponseWriter, r *http.Request) error {
	rows, set, err := h.SignIn.Get(r.Context())
	if err != nil {
		return err
	}
	out := signInSettings{
		Mail: h.SignIn.Mail, Passkeys: passkeyParty{Origins: []string{}}, UpdatedAt: web.Timestamp(set.UpdatedAt),
	}
	if party := h.Accounts.Passkeys; party != nil {
		out.Passkeys = passkeyParty{true, &party.ID, web.OrEmpty(party.Origins)}
	}
	for _, row := range rows {
		*out.at(row.Name) = signInSetting{row.Value, row.Source, row.Changeable(), row.Variable, row.Default, row.ASVS}
	}
	web.SetETag(w, web.VersionTag(set.Version))
	web.WriteData(w, http.StatusOK, out)
	return nil
}

// at returns the place of a setting.
func (s *signInSettings) at(name string) *signInSetting {
	return map[string]*signInSetting{
		"authPolicy": &s.AuthPolicy, "passwordPolicy": &s.PasswordPolicy, "breachedPasswords": &s.BreachedPasswords,
		"registration": &s.Registration, "staffSecondFactor": &s.StaffSecondFactor, "sessionMax": &s.SessionMax,
		"staffSessionMax": &s.StaffSessionMax, "adminReauth": &s.AdminReauth, "emailSignIn": &s.EmailSignIn,
		"newSignInMail": &s.NewSignInMail, "impersonation": &s.Impersonation,
	}[name]
}

// ChangeSignInSettings serves PATCH /api/v1/admin/sign-in-settings.
func (h *Handlers) ChangeSignInSettings(w http.ResponseWriter, r *http.Request) error {
	in, faults, err := web.ReadChange[map[string]json.RawMessage, signInSettings](w, r)
	if err != nil {
		return err
	}
	if err := h.SignIn.Change(r.Context(), in, faults, web.IfMatch(r)); err != nil {
		return err
	}
	return h.GetSignInSettings(w, r)
}
