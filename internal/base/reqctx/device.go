package reqctx

import "context"

// Device is how a browser that keeps a device cookie is known.
type Device struct {
	// Sent is the cookie's value as it came, empty without one.
	Sent string
	// Given is the value that the browser keeps from now on; empty: it keeps what it has.
	Given string
}

type deviceKey struct{}

// WithDevice returns a context that carries the device of its request, for whoever signs in to set Given.
func WithDevice(ctx context.Context, d *Device) context.Context {
	return context.WithValue(ctx, deviceKey{}, d)
}

// DeviceFrom returns the device that ctx carries; nil for a client that keeps no device cookie.
func DeviceFrom(ctx context.Context) *Device {
	d, _ := ctx.Value(deviceKey{}).(*Device)
	return d
}
