// Package invite asks people to help to run the platform: an address gets a link to a role, which whoever reads mail
// there accepts with an account (contract 2.35).
//
// It decides who may invite whom, and until when. What becomes of the account is the rule of package account, in whose
// transaction an invitation is used up.
package invite
