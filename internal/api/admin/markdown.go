package admin

import (
	"net/http"
	"unicode/utf8"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/html/markdown"
	"stoa/internal/shop/product"
)

// piece is a node of a text in JSON.
type piece struct {
	Kind     markdown.Kind `json:"kind"`
	Level    int           `json:"level,omitempty"`
	Text     string        `json:"text,omitempty"`
	Href     string        `json:"href,omitempty"`
	Children []piece       `json:"children,omitempty"`
}

func newPiece(n markdown.Node) piece {
	p := piece{Kind: n.Kind, Level: n.Level, Text: n.Text, Href: n.Href}
	for _, child := range n.Children {
		p.Children = append(p.Children, newPiece(child))
	}
	return p
}

type markdownText struct {
	Text string `json:"text"`
}

// ReadMarkdown serves POST /api/v1/admin/markdown: what the shop will show of a full description.
func (h *Handlers) ReadMarkdown(w http.ResponseWriter, r *http.Request) error {
	sent, faults, err := web.ReadChange[markdownText, struct{}](w, r)
	if err != nil {
		return err
	}
	if utf8.RuneCountInString(sent.Text) > product.MaxArticle {
		faults.Add("text", errs.CodeOutOfRange, "text must be at most %d characters.", product.MaxArticle)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, web.Items(markdown.Read(sent.Text), newPiece))
	return nil
}
