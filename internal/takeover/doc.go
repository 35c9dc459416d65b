// Package takeover attacks accounts over HTTP, as strangers would: each test is an attempt to get into
// somebody else's account, or to keep somebody out of their own, and shows that it fails.
//
// docs/security/takeover.md lists the attacks with the tests that show them refused. The package knows
// stoa by its API alone, and has the attacker's tools: a mailbox, an authenticator that lies, and a clock.
package takeover
