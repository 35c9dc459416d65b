package license

import (
	"time"

	"stoa/internal/keyring"
)

// KeyPurpose is how the keys take turns that sign for licences: answers and
// leases (CONTRACT 3). Apps carry the public keys with them, so that both times
// are long.
var KeyPurpose = keyring.Purpose{
	Name: "license",

	// As long as it takes until the apps in use are versions that know the key.
	Lead: 30 * 24 * time.Hour,

	// The longest lease with the longest grace, and some days for clocks and for
	// replicas that notice late.
	Retention: MaxLeaseTTL + MaxLeaseGrace + 5*24*time.Hour,
}
