package license

import (
	"time"

	"stoa/internal/trust/keyring"
)

// KeyPurpose is the schedule of the keys that sign leases and license answers (contract 3.12). Apps ship
// with the public keys, so both times are long.
var KeyPurpose = keyring.Purpose{
	Name: "license",

	// How long it takes until the apps in use are versions that know a new key.
	Lead: 30 * 24 * time.Hour,

	// The longest lease with the longest grace, plus some days for clock skew and for replicas that
	// notice a rotation late.
	Retention: MaxLeaseTTL + MaxLeaseGrace + 5*24*time.Hour,
}
