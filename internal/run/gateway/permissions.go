package gateway

import (
	"regexp"
	"strings"
)

// noPasskeys is the Permissions-Policy of what has the shop's origin: it does not ask for the shop's passkeys. Of
// several members with one name the last one counts (contract 5.9). In the sandbox, browsers offer none.
const noPasskeys = "publickey-credentials-get=(), publickey-credentials-create=()"

// policy is a list of features and whom each is allowed to, as Permissions Policy writes it. It is narrower than
// the grammar of RFC 9651, so that no browser reads what it accepts otherwise.
var policy = func() *regexp.Regexp {
	const (
		who    = `(?:\*|self|src|"[ !#-\[\]-~]*")`
		member = `[a-z*][a-z0-9_*-]*=(?:` + who + `|\( *(?:` + who + `(?: +` + who + `)*)? *\))`
	)
	return regexp.MustCompile(`^` + member + `(?: *, *` + member + `)*$`)
}()

// wellFormedPolicy returns the plugin's own policy, or nothing if it is not well-formed: browsers read all lines as
// one, and ignore the whole if there is a fault in it.
func wellFormedPolicy(own []string) []string {
	if len(own) > 0 && policy.MatchString(strings.Join(own, ", ")) {
		return own[:len(own):len(own)]
	}
	return nil
}
