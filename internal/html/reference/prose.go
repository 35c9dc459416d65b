package reference

import (
	"html/template"
	"strings"
)

// slug turns a name into a URL fragment.
func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// prose renders the Markdown that the document uses: paragraphs, `code` and **bold**. It
// shows everything else literally.
func prose(text string) template.HTML {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph == "" {
			continue
		}
		out.WriteString("<p>" + inline(paragraph) + "</p>")
	}
	return template.HTML(out.String()) //nolint:gosec // every piece was escaped by inline
}

// note is prose for a cell of a table. A single paragraph, which most are, needs no
// element of its own: it begins on a line of its own (white-space: pre-line).
func note(text string) template.HTML {
	text = strings.TrimSpace(text)
	if text == "" || strings.Contains(text, "\n\n") {
		return prose(text)
	}
	return template.HTML("\n" + inline(strings.Join(strings.Fields(text), " "))) //nolint:gosec // escaped by inline
}

// inline renders `code` and **bold** within a paragraph.
func inline(text string) string {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		escaped := template.HTMLEscapeString(part)
		if i%2 == 1 {
			out.WriteString("<code>" + escaped + "</code>")
			continue
		}
		for j, piece := range strings.Split(escaped, "**") {
			if j%2 == 1 {
				piece = "<strong>" + piece + "</strong>"
			}
			out.WriteString(piece)
		}
	}
	return out.String()
}
