package markdown

import (
	"cmp"
	"html/template"
	"strconv"
	"strings"
)

// elements are those of the kinds that are one element without attributes and have another name.
var elements = map[Kind]string{
	Paragraph: "p", Bullets: "ul", Numbers: "ol", Item: "li", Emphasis: "em",
}

// HTML renders a text below a heading of that level: its own headings are one lower, h6 at most.
func HTML(source string, below int) template.HTML {
	var out strings.Builder
	write(&out, Read(source), below)
	return template.HTML(out.String()) //nolint:gosec // elements are of a closed list, and texts are escaped
}

func write(out *strings.Builder, list []Node, below int) {
	for _, n := range list {
		text := template.HTMLEscapeString(n.Text)
		switch n.Kind {
		case Text:
			out.WriteString(text)
		case Break:
			out.WriteString("<br>")
		case Block:
			out.WriteString("<pre><code>" + text + "</code></pre>")
		case Link:
			out.WriteString(`<a href="` + template.HTMLEscapeString(n.Href) + `" rel="nofollow noopener">`)
			write(out, n.Children, below)
			out.WriteString("</a>")
		case Heading:
			h := "h" + strconv.Itoa(min(n.Level+below, 6)) + ">"
			out.WriteString("<" + h)
			write(out, n.Children, below)
			out.WriteString("</" + h)
		default:
			e := cmp.Or(elements[n.Kind], string(n.Kind)) + ">" // strong, code
			out.WriteString("<" + e + text)
			write(out, n.Children, below)
			out.WriteString("</" + e)
		}
	}
}
