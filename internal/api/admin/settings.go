package admin

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/shop/site"
)

// settings are the shop's settings as administrators see them. null means not set.
type settings struct {
	ShopName     *string `json:"shopName"`
	Accent       *string `json:"accent"`
	SupportEmail *string `json:"supportEmail"`
	SupportURL   *string `json:"supportUrl"`
	TermsURL     *string `json:"termsUrl"`
	PrivacyURL   *string `json:"privacyUrl"`
	// Language is the one of pages for which the reader names none.
	Language string `json:"language,omitempty"`
	Logo     string `json:"logo,omitempty"`
	// DefaultShopName is the name that buyers see while shopName is null.
	DefaultShopName string `json:"defaultShopName"`
	// ArchiveTypes are the file types that packages may contain beyond those of their kind.
	ArchiveTypes       extension.Types `json:"archiveTypes"`
	ArchiveTypesSource string          `json:"archiveTypesSource"`
	UpdatedAt          web.Timestamp   `json:"updatedAt,omitzero"`
}

// GetSettings serves GET /api/v1/admin/settings.
func (h *Handlers) GetSettings(w http.ResponseWriter, r *http.Request) error {
	set, err := h.Site.Get(r.Context())
	return h.writeSettings(w, set, err)
}

// settingsChange is the body of a change. Absent fields stay; null removes what was set.
type settingsChange struct {
	ShopName     json.RawMessage `json:"shopName"`
	Accent       json.RawMessage `json:"accent"`
	SupportEmail json.RawMessage `json:"supportEmail"`
	SupportURL   json.RawMessage `json:"supportUrl"`
	TermsURL     json.RawMessage `json:"termsUrl"`
	PrivacyURL   json.RawMessage `json:"privacyUrl"`
	Language     json.RawMessage `json:"language"`
	Logo         json.RawMessage `json:"logo"`
	ArchiveTypes json.RawMessage `json:"archiveTypes"`
}

// change returns the change, and its faults of type.
func (in settingsChange) change() (ch site.Change, faults errs.Issues) {
	read := func(name string, raw json.RawMessage) *string {
		if raw == nil {
			return nil
		}
		var text string // and "" for null
		if json.Unmarshal(raw, &text) != nil {
			faults.Add(name, errs.CodeWrongType, "%s must be a string, or null.", name)
		}
		return &text
	}
	ch = site.Change{
		ArchiveTypes: in.archiveTypes(&faults),
		Name:         read("shopName", in.ShopName), Accent: read("accent", in.Accent),
		SupportEmail: read("supportEmail", in.SupportEmail), SupportURL: read("supportUrl", in.SupportURL),
		TermsURL: read("termsUrl", in.TermsURL), PrivacyURL: read("privacyUrl", in.PrivacyURL),
		Language: read("language", in.Language),
		Logo:     read("logo", in.Logo),
	}
	return ch, faults
}

// archiveTypes returns the file types to change, by kind. null removes those of a kind, or of all.
func (in settingsChange) archiveTypes(faults *errs.Issues) map[extension.Kind][]string {
	if in.ArchiveTypes == nil {
		return nil
	}
	types := make(map[extension.Kind][]string)
	var fields map[extension.Kind]json.RawMessage
	if json.Unmarshal(in.ArchiveTypes, &fields) != nil {
		faults.Add("archiveTypes", errs.CodeWrongType, "archiveTypes must be an object of lists, or null.")
	}
	if fields == nil {
		for _, kind := range extension.Kinds() {
			types[kind] = nil
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(fields)) {
		var list []string
		if json.Unmarshal(fields[kind], &list) != nil {
			faults.Add("archiveTypes."+string(kind), errs.CodeWrongType,
				"archiveTypes.%s must be a list of texts, or null.", kind)
			list = nil
		}
		types[kind] = list
	}
	return types
}

// ChangeSettings serves PATCH /api/v1/admin/settings.
func (h *Handlers) ChangeSettings(w http.ResponseWriter, r *http.Request) error {
	in, faults, err := web.ReadChange[settingsChange, settings](w, r)
	if err != nil {
		return err
	}
	ch, wrong := in.change()
	faults.Merge(wrong)
	if err := web.Refusal(faults, func() errs.Issues { return h.Site.Issues(ch) }); err != nil {
		return err
	}
	set, err := h.Site.Change(r.Context(), ch, web.IfMatch(r))
	return h.writeSettings(w, set, err)
}

// writeSettings answers with settings and the ETag of their version, unless there is an
// error.
func (h *Handlers) writeSettings(w http.ResponseWriter, set site.Settings, err error) error {
	if err != nil {
		return err
	}
	web.SetETag(w, web.VersionTag(set.Version))
	web.NoStore(w)
	types, source := set.ArchiveTypes, "setting"
	if len(h.Site.FixedTypes) > 0 {
		types, source = h.Site.FixedTypes, "STOA_ARCHIVE_TYPES"
	}
	if types == nil {
		types = extension.Types{}
	}
	web.WriteData(w, http.StatusOK, settings{
		ArchiveTypes: types, ArchiveTypesSource: source,
		ShopName: web.OrNull(set.Name), Accent: web.OrNull(set.Accent), SupportEmail: web.OrNull(set.SupportEmail),
		SupportURL: web.OrNull(set.SupportURL), TermsURL: web.OrNull(set.TermsURL), PrivacyURL: web.OrNull(set.PrivacyURL),
		Language: set.Language, Logo: set.Logo,
		DefaultShopName: h.Site.Default(), UpdatedAt: web.Timestamp(set.UpdatedAt),
	})
	return nil
}
