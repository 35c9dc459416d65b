package order

import "time"

// Allowance is how many mails a mailbox gets: AtOnce immediately, then one per Every.
type Allowance struct {
	AtOnce int
	Every  time.Duration
}

// How many mails of each sort a mailbox gets. Nobody verified that the address belongs to whoever gave
// it. Receipts of free orders are counted apart, so they never delay the receipt of a paid order.
var (
	claimMails   = Allowance{AtOnce: 3, Every: 20 * time.Minute}
	freeReceipts = Allowance{AtOnce: 10, Every: 144 * time.Minute} // 10 a day
	paidReceipts = Allowance{AtOnce: 100, Every: 15 * time.Minute}
	trialMails   = freeReceipts // about the ends of trials, which come with no receipt
)
