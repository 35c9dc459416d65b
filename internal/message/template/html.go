package template

import (
	"html/template"
	"strings"
)

// page is the part of a mail for readers that show HTML. It loads nothing but the shop's logo.
var page = template.Must(template.New("mail").Parse(`<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px 12px;background:#f4f4f5;color:#18181b;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:34em;margin:0 auto;padding:24px;background:#fff;border-top:4px solid {{.Accent}};border-radius:4px">
{{- if .Logo}}<p style="margin:0 0 16px"><img src="{{.Logo}}" alt="{{.Name}}" height="40" style="height:40px;border:0"></p>{{end -}}
{{range .Blocks}}<p style="margin:0 0 16px">{{range $i, $line := .}}{{if $i}}<br>{{end -}}
{{if .Key}}<strong style="font-family:ui-monospace,monospace;font-size:15px">{{.Text}}</strong>
{{- else if .Address}}<a href="{{.Text}}" style="color:#18181b">{{.Text}}</a>{{else}}{{.Text}}{{end}}{{end}}</p>
{{end}}</div></body></html>
`))

// grey is the line above a mail of a shop without a color.
const grey = "#71717a"

// line is a line of a mail.
type line struct {
	Text    string
	Key     bool // a license key, or a code to be typed
	Address bool // an address of the shop
}

// html returns the HTML of a text.
func (s *Service) html(shop Shop, language string, values map[string]string, text string) string {
	accent := shop.Accent
	if accent == "" {
		accent = grey
	}
	var blocks [][]line
	for block := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		var lines []line
		for l := range strings.SplitSeq(block, "\n") {
			// Spaces that set columns stay, as in the text.
			shown := strings.ReplaceAll(strings.TrimRight(l, " "), "  ", "\u00a0 ")
			bare := strings.TrimSpace(l)
			key := bare != "" && (bare == values[LicenseKey] || bare == values[Code])
			own := (bare == s.PublicURL || strings.HasPrefix(bare, s.PublicURL+"/")) && !strings.ContainsAny(bare, " \t")
			if key || own {
				shown = bare
			}
			lines = append(lines, line{Text: shown, Key: key, Address: own})
		}
		blocks = append(blocks, lines)
	}
	var b strings.Builder
	// A color that is none, or an address that is none, the package leaves out.
	_ = page.Execute(&b,
		map[string]any{"Accent": accent, "Logo": shop.Logo, "Name": shop.Name, "Language": language, "Blocks": blocks})
	return b.String()
}
