package reqctx

import "context"

// Channel is the connection that a contained program alone has to stoa: stoa listens inside the
// program's own network (package egress). A request that came over it is from that program.
type Channel struct {
	// Has reports whether the program runs an installation.
	Has func(installationID string) bool

	// Asker returns the installation that a request with that proof is of. In a process of one
	// installation it is that one, whatever the proof; in a process of several, only the proof
	// tells. nil: the program runs no plugin.
	Asker func(proof string) (installationID string, ok bool)
}

type channelKey struct{}

// WithChannel returns a context that carries the channel that its request came over.
func WithChannel(ctx context.Context, c Channel) context.Context {
	return context.WithValue(ctx, channelKey{}, c)
}

// ChannelFrom returns the channel that ctx carries. ok is false for a request to the public
// listener.
func ChannelFrom(ctx context.Context) (c Channel, ok bool) {
	c, ok = ctx.Value(channelKey{}).(Channel)
	return c, ok
}

// Installation returns the channel of a process that runs that one installation.
func Installation(id string) Channel {
	return Channel{
		Has:   func(other string) bool { return other == id },
		Asker: func(string) (string, bool) { return id, true },
	}
}
