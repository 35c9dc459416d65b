package wire

import (
	"stoa/internal/httpapi/web"
	"stoa/internal/market/license"
)

// Activation is an instance that uses a license.
type Activation struct {
	InstanceID  string        `json:"instanceId"`
	Development bool          `json:"development"`
	ActivatedAt web.Timestamp `json:"activatedAt"`
}

// NewActivation returns the JSON form of a.
func NewActivation(a license.Activation) Activation {
	return Activation{InstanceID: a.InstanceID, Development: a.Development, ActivatedAt: web.Timestamp(a.At)}
}
