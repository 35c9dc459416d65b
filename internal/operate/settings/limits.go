package settings

import (
	"time"
)

// Limits keep clients and plugins from taking too much. BodyMemory and MediaCache are in MiB.
type Limits struct {
	BodyMemory         int64
	BodyRate           int64
	AddressConnections int
	MediaCache         int64
	HealthInterval     time.Duration
}

var limitRows = []Setting{
	{
		Flag: "body-memory", Env: "STOA_BODY_MEMORY", Default: "128",
		Bounds: numbers(16, 64<<10).of("MiB"), Placeholder: "MIB",
		Help: "Memory for request bodies that are arriving or on their way to plugins, of all requests together, in " +
			"MiB: {bounds}. A request that finds no room is answered 503 UPLOADS_BUSY with Retry-After.",
	},
	{
		Flag: "body-rate", Env: "STOA_BODY_RATE", Default: "1024",
		Bounds: numbers(0, 1<<20).of("bytes per second"), Placeholder: "BYTES",
		Help: "Least rate at which the body of a call to a plugin must arrive, in bytes per second after the first 10 " +
			"s: {bounds}. Slower uploads are ended. 0 means any rate.",
	},
	{
		Flag: "address-connections", Env: "STOA_ADDRESS_CONNECTIONS", Default: "256",
		Bounds: numbers(0, 1_000_000), Placeholder: "COUNT",
		Help: "Connections that one client address (IPv4 address or IPv6 /64) may hold: {bounds}. More are answered " +
			"429 and closed. Not bounded: the networks in --trusted-proxies, and loopback. 0 means no limit.",
	},
	{
		Flag: "media-cache", Env: "STOA_MEDIA_CACHE", Default: "0", Bounds: numbers(0, 16<<20).of("MiB"), Placeholder: "MIB",
		Help: "With object storage, about how much of the media the data folder keeps, in MiB: {bounds}. What was " +
			"not asked for the longest goes first. 0 means all that were asked for.",
	},
	{
		Flag: "health-interval", Env: "STOA_HEALTH_INTERVAL", Default: "30s",
		Bounds: durations(5*time.Second, time.Hour).andZero(),
		Help: "How often the /health of each external plugin with an enabled instance is asked, by one of the replicas: " +
			"{bounds} for never. The answer shows as the instances' runtime state; calls are not refused " +
			"because of it.",
	},
}
