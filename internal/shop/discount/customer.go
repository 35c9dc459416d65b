package discount

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// HashPurpose is the purpose of Service.Secret (seal.Key.Derive).
const HashPurpose = "shop.customer.hash"

// Customer is who uses a code. Fields that are not known are empty. Each address is exactly one.
type Customer struct {
	UserID string
	Emails []string // of the account, and of the bill
}

// Keys returns the keys of a customer, sorted: who has one of them is the same customer. Without any the
// customer is nobody. Mailboxes are hashed, because the keys outlive accounts.
func (s *Service) Keys(c Customer) []string {
	var keys []string
	if c.UserID != "" {
		keys = append(keys, "user:"+c.UserID)
	}
	for _, email := range c.Emails {
		mac := hmac.New(sha256.New, s.Secret)
		mac.Write([]byte(s.Mailbox(email)))
		keys = append(keys, "mail:"+hex.EncodeToString(mac.Sum(nil)))
	}
	slices.Sort(keys) // two orders that share keys wait for each other, and not in a circle
	return slices.Compact(keys)
}
