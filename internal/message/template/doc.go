// Package template owns the words of mails: the kinds of mail, the variables of each, the small language that
// their texts are written in, and what a shop has written in place of stoa's own words. Of the fixed kinds, which
// are about accounts and for administrators, the words are always stoa's.
//
// A text is plain, with Mustache's {{name}}, {{#name}}…{{/name}} and {{^name}}…{{/name}} over a flat list of
// variables, and nothing else: it runs no code, and reads nothing but its variables. A link or a license
// key stands alone on its line, and other addresses are the shop's, so that no text can send them away.
package template
