// Package markdown reads the Markdown of products: paragraphs, headings, lists, emphasis, code and
// links. Everything else shows as it was typed, HTML too, but for pictures, which are left out.
//
// It returns a tree of nodes of a closed list of kinds. HTML is written from that tree only, so that
// no element and no attribute comes from the text.
package markdown

import (
	"net/url"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Kind is what a node is.
type Kind string

// The kinds of nodes. Text and Code hold a text, Break nothing; the others hold nodes.
const (
	Paragraph Kind = "paragraph"
	Heading   Kind = "heading"
	Bullets   Kind = "bullets"
	Numbers   Kind = "numbers"
	Item      Kind = "item"
	Block     Kind = "block" // of code
	Emphasis  Kind = "emphasis"
	Strong    Kind = "strong"
	Code      Kind = "code"
	Link      Kind = "link"
	Text      Kind = "text"
	Break     Kind = "break"
)

// Node is a piece of a text.
type Node struct {
	Kind     Kind
	Level    int    // of a heading, from 1
	Text     string // of Text, Code and Block
	Href     string // of a link: http, https or mailto
	Children []Node
}

// deepest is how deep nodes may lie in each other. What lies deeper is left out.
const deepest = 12

// reader has no parser for HTML, so tags are text.
var reader = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewEmphasisParser(), 500),
	),
	parser.WithParagraphTransformers(util.Prioritized(parser.LinkReferenceParagraphTransformer, 100)),
)

// Read returns the nodes of a text.
func Read(source string) []Node {
	src := []byte(source)
	return nodes(reader.Parse(text.NewReader(src)), src, 0)
}

// nodes returns the nodes below one of the parser's.
func nodes(parent ast.Node, src []byte, depth int) (out []Node) {
	if depth >= deepest {
		return nil
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, node(n, src, depth)...)
	}
	return out
}

func node(n ast.Node, src []byte, depth int) []Node {
	below := func() []Node { return nodes(n, src, depth+1) }
	switch n := n.(type) {
	case *ast.Paragraph:
		return []Node{{Kind: Paragraph, Children: below()}}
	case *ast.TextBlock: // what an item of a tight list holds
		return below()
	case *ast.Heading:
		return []Node{{Kind: Heading, Level: n.Level, Children: below()}}
	case *ast.List:
		kind := Bullets
		if n.IsOrdered() {
			kind = Numbers
		}
		return []Node{{Kind: kind, Children: below()}}
	case *ast.ListItem:
		return []Node{{Kind: Item, Children: below()}}
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return []Node{{Kind: Block, Text: string(n.Lines().Value(src))}}
	case *ast.CodeSpan:
		return []Node{{Kind: Code, Text: plain(below())}}
	case *ast.Emphasis:
		kind := Emphasis
		if n.Level > 1 {
			kind = Strong
		}
		return []Node{{Kind: kind, Children: below()}}
	case *ast.Link:
		return link(string(n.Destination), below())
	case *ast.AutoLink:
		href := string(n.URL(src))
		if n.AutoLinkType == ast.AutoLinkEmail {
			href = "mailto:" + href
		}
		return link(href, []Node{{Kind: Text, Text: string(n.Label(src))}})
	case *ast.Text:
		return words(n, src)
	case *ast.String:
		return []Node{{Kind: Text, Text: string(n.Value)}}
	}
	return nil // pictures, above all
}

// words are a text and the line break after it. A backslash escapes punctuation, and entities such as
// &amp; are characters, but not in code.
func words(n *ast.Text, src []byte) []Node {
	value := n.Segment.Value(src)
	if n.Parent().Kind() != ast.KindCodeSpan {
		value = util.UnescapePunctuations(value)
		value = util.ResolveEntityNames(util.ResolveNumericReferences(value))
	}
	out := []Node{{Kind: Text, Text: string(value)}}
	switch {
	case n.HardLineBreak():
		out = append(out, Node{Kind: Break})
	case n.SoftLineBreak():
		out[0].Text += "\n"
	}
	return out
}

func plain(list []Node) (out string) {
	for _, n := range list {
		out += n.Text
	}
	return out
}

// link is a link, or what it says if it leads where no link may.
func link(href string, says []Node) []Node {
	u, err := url.Parse(href)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) ||
		u.Scheme != "mailto" && u.Host == "" {
		return says
	}
	return []Node{{Kind: Link, Href: u.String(), Children: says}}
}
