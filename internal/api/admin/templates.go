package admin

import (
	"context"
	"net/http"

	"stoa/internal/api/guard"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/template"
)

// mailKind is a kind of mail on the wire.
type mailKind struct {
	Kind      template.Kind  `json:"kind"`
	Variables []mailVariable `json:"variables"`
	Languages []string       `json:"languages"`
	Broken    bool           `json:"broken,omitempty"`
}

type mailVariable struct {
	Name    string `json:"name"`
	Example string `json:"example"`
}

// mailWords are the words of a mail on the wire.
type mailWords struct {
	Kind      template.Kind `json:"kind"`
	Language  string        `json:"language"`
	Subject   string        `json:"subject"`
	Text      string        `json:"text"`
	BuiltIn   bool          `json:"builtIn,omitempty"`
	Broken    bool          `json:"broken,omitempty"`
	UpdatedAt web.Timestamp `json:"updatedAt,omitzero"`
}

func newMailWords(t template.Own) mailWords {
	return mailWords{
		Kind: t.Kind, Language: t.Language, Subject: t.Form.Subject, Text: t.Form.Text,
		BuiltIn: t.UpdatedAt.IsZero(), Broken: t.Broken, UpdatedAt: web.Timestamp(t.UpdatedAt),
	}
}

// ListTemplates serves GET /api/v1/admin/mail-templates.
func (h *Handlers) ListTemplates(w http.ResponseWriter, r *http.Request) error {
	list, err := h.Templates.List(r.Context())
	if err != nil {
		return err
	}
	items := make([]mailKind, len(list))
	for i, k := range list {
		items[i] = mailKind{Kind: k.Kind, Languages: k.Languages, Broken: k.Broken}
		for _, v := range k.Variables {
			items[i].Variables = append(items[i].Variables, mailVariable(v))
		}
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, map[string]any{"items": items})
	return nil
}

// GetTemplate serves GET /api/v1/admin/mail-templates/{kind}/{lang}.
func (h *Handlers) GetTemplate(w http.ResponseWriter, r *http.Request) error {
	t, err := h.Templates.Get(r.Context(), mailOf(r), r.PathValue("lang"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, newMailWords(t))
	return nil
}

func mailOf(r *http.Request) template.Kind { return template.Kind(r.PathValue("kind")) }

// mayWord refuses the words of mails about accounts to whoever may not change settings: they decide whom users trust.
func mayWord(ctx context.Context, kind template.Kind) error {
	if kind.Guarded() && !reqctx.CallerFrom(ctx).May(permission.WriteSettings) {
		return guard.Lacks(permission.WriteSettings)
	}
	return nil
}

// readWords returns the words in the body, for a kind of mail that the caller may write.
func (h *Handlers) readWords(w http.ResponseWriter, r *http.Request) (template.Form, error) {
	if err := mayWord(r.Context(), mailOf(r)); err != nil {
		return template.Form{}, err
	}
	if _, err := h.Templates.Get(r.Context(), mailOf(r), r.PathValue("lang")); err != nil { // 404 before 400
		return template.Form{}, err
	}
	return web.ReadStrictly(w, r, func(f template.Form) errs.Issues { return h.Templates.Issues(mailOf(r), f) })
}

// PutTemplate serves PUT /api/v1/admin/mail-templates/{kind}/{lang}.
func (h *Handlers) PutTemplate(w http.ResponseWriter, r *http.Request) error {
	in, err := h.readWords(w, r)
	if err != nil {
		return err
	}
	t, err := h.Templates.Put(r.Context(), mailOf(r), r.PathValue("lang"), in)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, newMailWords(t))
	return nil
}

// DeleteTemplate serves DELETE /api/v1/admin/mail-templates/{kind}/{lang}.
func (h *Handlers) DeleteTemplate(w http.ResponseWriter, r *http.Request) error {
	if err := mayWord(r.Context(), mailOf(r)); err != nil {
		return err
	}
	if err := h.Templates.Delete(r.Context(), mailOf(r), r.PathValue("lang")); err != nil {
		return err
	}
	web.WriteDone(w, "The mail has the words that it came with again.")
	return nil
}

// PreviewTemplate serves POST /api/v1/admin/mail-templates/{kind}/{lang}/preview.
func (h *Handlers) PreviewTemplate(w http.ResponseWriter, r *http.Request) error {
	in, err := h.readWords(w, r)
	if err != nil {
		return err
	}
	m, err := h.Templates.Preview(r.Context(), mailOf(r), r.PathValue("lang"), in)
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, map[string]string{"subject": m.Subject, "text": m.Text, "html": m.HTML})
	return nil
}

// TestTemplate serves POST /api/v1/admin/mail-templates/{kind}/{lang}/test.
func (h *Handlers) TestTemplate(w http.ResponseWriter, r *http.Request) error {
	in, err := h.readWords(w, r)
	if err != nil {
		return err
	}
	if err := h.Templates.Test(r.Context(), mailOf(r), r.PathValue("lang"), in); err != nil {
		return err
	}
	web.WriteAccepted(w, "A test mail is on its way to your address.")
	return nil
}
