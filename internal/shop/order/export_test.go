package order

// SweepPause lets tests compute pauses without waiting for them.
var SweepPause = sweepPause //nolint:gochecknoglobals // for tests

// MailboxKey lets tests name mailboxes without a Courier.
var MailboxKey = mailboxKey //nolint:gochecknoglobals // for tests
