package template

import "slices"

// The kinds whose words no shop chooses: mails about accounts, which must say what is at stake, and those to the
// administrators of a shop.
const (
	ProveEmail            Kind = "prove_email"
	NewEmail              Kind = "new_email"
	EmailChangeAsked      Kind = "email_change_asked"
	EmailChanged          Kind = "email_changed"
	EmailChangedBack      Kind = "email_changed_back"
	SignUp                Kind = "sign_up"
	HasAccount            Kind = "has_account"
	AppAdded              Kind = "app_added"
	AppRemoved            Kind = "app_removed"
	PasskeyAdded          Kind = "passkey_added"
	PasskeysRemoved       Kind = "passkeys_removed"
	RecoveryCodesReplaced Kind = "recovery_codes_replaced"
	RecoveryCodeUsed      Kind = "recovery_code_used"
	IdentityLinked        Kind = "identity_linked"
	IdentityUnlinked      Kind = "identity_unlinked"
	PasswordRemoved       Kind = "password_removed"
	PasswordBreached      Kind = "password_breached"
	PasskeyCopied         Kind = "passkey_copied"
	FactorReset           Kind = "factor_reset"
	NewSignIn             Kind = "new_sign_in"
	AccountReclaimed      Kind = "account_reclaimed"
	SignInLink            Kind = "sign_in_link"
	StaffSignIn           Kind = "staff_sign_in"
	ReclaimedByMail       Kind = "reclaimed_by_mail"
	ReclaimedByInvitation Kind = "reclaimed_by_invitation"
	ProofCode             Kind = "proof_code"
	MailboxCode           Kind = "mailbox_code"
	APIKey                Kind = "api_key"
	DeletionPlanned       Kind = "deletion_planned"
	DeletionPlannedFormer Kind = "deletion_planned_former"
	DataReady             Kind = "data_ready"
	Impersonated          Kind = "impersonated"
	Invited               Kind = "invited"
	PartlyRefunded        Kind = "partly_refunded"
	GivenBack             Kind = "given_back"
	WebhookDisabled       Kind = "webhook_disabled"
	MarketRootEnds        Kind = "market_root_ends"
	LicenseGrace          Kind = "license_grace"
	LicenseLapsed         Kind = "license_lapsed"
	InvoiceNote           Kind = "invoice_note" // no mail of its own: it ends stoa's own receipts
)

// The variables of fixed kinds only. Some say what a mail is about by having a value: Yes.
const (
	Email      = "email"      // the address of the account
	Username   = "username"   // the only words of a stranger that a mail has
	At         = "at"         // a Moment: the day and the time
	Until      = "until"      // a Moment
	DisownLink = "disownLink" // shuts an account that somebody else made
	Code       = "code"       // to be typed
	Former     = "former"     // the reader had the account's address until lately
	Replaced   = "replaced"   // there is something new in place of something
	App        = "app"        // the account has codes of an app
	Passkeys   = "passkeys"   // the account has passkeys
	Alone      = "alone"      // the password alone signs in
	Count      = "count"      // more than one
	Left       = "left"       // recovery codes that remain
	Provider   = "provider"   // where passkeys, or accounts elsewhere, are
	Device     = "device"     // of a fixed list of names
	Address    = "address"    // of a network
	Writable   = "writable"   // staff could change something
	Role       = "role"
	License    = "license" // the id of one
	Webhook    = "webhook" // the id of one
	Host       = "host"
	Reason     = "reason"
	Package    = "package" // the slug of one
	Market     = "market"  // the name of one

	InvoiceNumber = "invoiceNumber"
	InvoiceLink   = "invoiceLink" // the Link of an InvoiceNote, where Link is another one
)

// Yes is the value of a variable that only says that something is so.
const Yes = "yes"

var (
	ofAccount = slices.Concat(ofShop, []string{Email})
	ofNews    = slices.Concat(ofAccount, []string{At})
	// ofChange are those of a mail that former addresses get as well, without what is for the user only.
	ofChange = slices.Concat(ofNews, []string{Former})
)

// fixed has the variables of each fixed kind.
var fixed = map[Kind][]string{
	ProveEmail:            slices.Concat(ofAccount, []string{Link, DisownLink}),
	NewEmail:              slices.Concat(ofAccount, []string{Username, Link}),
	EmailChangeAsked:      ofNews,
	EmailChanged:          slices.Concat(ofNews, []string{Link}),
	EmailChangedBack:      slices.Concat(ofNews, []string{Username}),
	SignUp:                slices.Concat(ofAccount, []string{Link}),
	HasAccount:            ofAccount,
	AppAdded:              slices.Concat(ofChange, []string{Replaced, Link}),
	AppRemoved:            slices.Concat(ofChange, []string{Passkeys}),
	PasskeyAdded:          slices.Concat(ofChange, []string{Provider, Link}),
	PasskeysRemoved:       slices.Concat(ofChange, []string{Count, Alone}),
	RecoveryCodesReplaced: ofChange,
	RecoveryCodeUsed:      slices.Concat(ofNews, []string{Left}),
	IdentityLinked:        slices.Concat(ofChange, []string{Provider}),
	IdentityUnlinked:      slices.Concat(ofChange, []string{Provider}),
	PasswordRemoved:       ofChange,
	PasswordBreached:      ofAccount,
	PasskeyCopied:         ofNews,
	FactorReset:           slices.Concat(ofNews, []string{App, Passkeys, Link}),
	NewSignIn:             slices.Concat(ofNews, []string{Device, Address}),
	AccountReclaimed:      ofNews,
	SignInLink:            slices.Concat(ofAccount, []string{Link, Code}),
	StaffSignIn:           ofAccount,
	ReclaimedByMail:       ofNews,
	ReclaimedByInvitation: ofNews,
	ProofCode:             slices.Concat(ofAccount, []string{Code}),
	MailboxCode:           slices.Concat(ofAccount, []string{Code}),
	APIKey:                slices.Concat(ofChange, []string{Replaced}),
	DeletionPlanned:       slices.Concat(ofNews, []string{Link}),
	DeletionPlannedFormer: slices.Concat(ofShop, []string{Username, At}),
	DataReady:             slices.Concat(ofAccount, []string{Until, Link}),
	Impersonated:          slices.Concat(ofNews, []string{Until, Writable}),
	Invited:               slices.Concat(ofShop, []string{Role, Until, Link}),
	PartlyRefunded:        slices.Concat(ofShop, []string{OrderID, RefundAmount, Amount, License}),
	GivenBack:             slices.Concat(ofShop, []string{OrderID, Amount, License}),
	WebhookDisabled:       slices.Concat(ofShop, []string{Webhook, Host, Reason}),
	MarketRootEnds:        slices.Concat(ofShop, []string{Until}),
	LicenseGrace:          slices.Concat(ofShop, []string{Package, Market, Until}),
	LicenseLapsed:         slices.Concat(ofShop, []string{Package, Market}),
	InvoiceNote:           {InvoiceNumber, Link},
}

// Fixed returns the fixed kinds.
func Fixed() []Kind {
	all := make([]Kind, 0, len(fixed))
	for kind := range fixed {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}
