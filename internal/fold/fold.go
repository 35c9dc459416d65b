// Package fold brings texts into the form in which they are compared, searched and
// sorted without regard to case.
package fold

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Text returns s with Unicode's full case folding and in normalization form NFC:
// ΟΔΟΣ becomes οδοσ, like οδος, and STRASSE strasse, like Straße. It does not depend
// on the database, whose engines differ in what lower case is. Text(Text(s)) is
// Text(s).
//
// The result is stored. A change of Text needs a migration of what was.
func Text(s string) string {
	// A Caser has state: each call has its own. Folding can take a text out of NFC,
	// hence the second pass.
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}
