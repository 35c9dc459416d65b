// Package license is for apps that are sold as a product of a stoa: it activates
// a licence for an instance, checks it, and goes on without network for as long
// as a lease allows. It imports the standard library only.
//
// Everything rests on the public licence keys of the stoa, which an app carries
// with it: take them from GET /api/marketplace/license-keys when you build the
// app (ParseJWKS, ParsePEM). Keys that are fetched at run time prove nothing: who
// can fake the one answer can fake the other.
//
// A Client does all of it. Verifier checks leases and VerifyAnswer signed answers
// for those who send requests by other means. The guide is
// docs/marketplace/licences.md of stoa; sdk/js is the same for JavaScript.
// README.md says how to get this package into your module.
package license
