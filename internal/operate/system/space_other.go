//go:build !linux && !darwin

package system

// spaceAt cannot tell here.
func spaceAt(string) (Space, bool) { return Space{}, false }
