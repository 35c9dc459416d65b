// Package license checks the license of an app that is sold through stoa. It
// activates the license for an installation, verifies it, and keeps the app
// running offline while a lease lasts. It imports the standard library only.
//
// Everything rests on the shop's public license keys, which you build into the
// app: download them from GET /api/marketplace/license-keys and read them with
// ParseJWKS or ParsePEM. Keys fetched at run time prove nothing: whoever can fake
// one answer can fake the other.
//
// Client does all of it. Verifier checks leases and VerifyAnswer checks signed
// answers for apps that send their own requests. The README shows a whole
// program; stoa's docs/marketplace/licenses.md explains the protocol. The npm
// package stoa-license is the same SDK for JavaScript.
package license
