package order

// SweepPause lets the tests count pauses without waiting for them.
var SweepPause = sweepPause //nolint:gochecknoglobals // for tests

// MailboxKey lets the tests name mailboxes without a Courier.
var MailboxKey = mailboxKey //nolint:gochecknoglobals // for tests
