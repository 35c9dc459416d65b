package auth

import (
	"encoding/json"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// language is the language that a user chose for pages; null for none.
type language struct {
	Language *string `json:"language"`
}

// languageChoice is the body of a choice. null takes it back.
type languageChoice struct {
	Language json.RawMessage `json:"language"`
}

// tag returns the chosen tag; empty for none.
func (in languageChoice) tag() (tag string, ok bool) {
	err := json.Unmarshal(in.Language, &tag)
	return tag, err == nil
}

// Language serves GET /auth/language.
func (h *Handlers) Language(w http.ResponseWriter, r *http.Request) error {
	tag, err := h.Accounts.Language(r.Context(), reqctx.CallerFrom(r.Context()).UserID)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, language{web.OrNull(tag)})
	return nil
}

// ChooseLanguage serves PUT /auth/language.
func (h *Handlers) ChooseLanguage(w http.ResponseWriter, r *http.Request) error {
	in, err := web.ReadStrictly(w, r, h.languageIssues)
	if err == nil {
		err = h.languageIssues(in).Err()
	}
	if err != nil {
		return err
	}
	tag, _ := in.tag()
	tag = h.Languages.Match(tag)
	if err := h.Accounts.ChooseLanguage(r.Context(), reqctx.CallerFrom(r.Context()).UserID, tag); err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, language{web.OrNull(tag)})
	return nil
}

// languageIssues returns what is wrong with a choice.
func (h *Handlers) languageIssues(in languageChoice) (faults errs.Issues) {
	if in.Language == nil {
		faults.Add("language", errs.CodeRequired, "language is required: a tag, or null.")
		return faults
	}
	switch tag, ok := in.tag(); {
	case !ok:
		faults.Add("language", errs.CodeWrongType, "language must be a string, or null.")
	case string(in.Language) != "null" && h.Languages.Match(tag) == "":
		faults.Add("language", errs.CodeUnknownValue, "language is none of those that pages are in.")
	}
	return faults
}
