package traffic

// Outcome is how a call ended.
type Outcome uint8

// The outcomes.
const (
	OK          Outcome = iota // the plugin answered, with a status below 500
	PluginError                // the plugin answered with a status from 500 on
	BrokenOff                  // the plugin's answer ended before it was complete
	NotFound                   // there is no such plugin or instance, or it is not enabled, or the path is refused
	Permission                 // the address needs a permission that the plugin does not have
	Refused                    // the request cannot be passed on, for example because its body is too large
	Busy                       // too many calls wait for the plugin
	CircuitOpen                // the plugin is not called for a moment, because it failed too often
	Starting                   // the plugin's process has not started yet
	Timeout                    // the plugin's answer did not begin in time
	Unreachable                // the plugin gave no usable answer
	ClientGone                 // the client left before it had the whole answer
	Internal                   // stoa failed

	outcomes // how many there are
)

var outcomeNames = [outcomes]string{
	"ok", "plugin_error", "broken_off", "not_found", "permission", "refused", "busy", "circuit_open", "starting",
	"timeout", "unreachable", "client_gone", "internal",
}

// String returns the name of the outcome in metrics and log records.
func (o Outcome) String() string { return outcomeNames[o] }

// Failed reports whether the plugin or stoa is at fault, not the client.
func (o Outcome) Failed() bool {
	switch o {
	case PluginError, BrokenOff, Busy, CircuitOpen, Starting, Timeout, Unreachable, Internal:
		return true
	case OK, NotFound, Permission, Refused, ClientGone, outcomes:
	}
	return false
}
