package main

import (
	"fmt"
	"time"

	"stoa/internal/app"
)

// limits are the settings that keep clients and plugins from taking too much.
type limits struct {
	BodyMemory         int64 `help:"Memory for request bodies that are arriving or on their way to plugins, of all requests together, in MiB: 16 to 65536. A request that finds no room is answered 503 UPLOADS_BUSY with Retry-After." default:"128" env:"STOA_BODY_MEMORY" name:"body-memory" placeholder:"MIB"`
	BodyRate           int64 `help:"Least rate at which the body of a call to a plugin must arrive, in bytes per second after the first 10 s: 0 to 1048576. Slower uploads are ended. 0 means any rate." default:"1024" env:"STOA_BODY_RATE" name:"body-rate" placeholder:"BYTES"`
	AddressConnections int   `help:"Connections that one client address (IPv4 address or IPv6 /64) may hold: 0 to 1000000. More are answered 429 and closed. Not bounded: the networks in --trusted-proxies, and loopback. 0 means no limit." default:"256" env:"STOA_ADDRESS_CONNECTIONS" name:"address-connections" placeholder:"COUNT"`

	MediaCache int64 `help:"With object storage, about how much of the media the data folder keeps, in MiB: 0 to 16777216. What was not asked for the longest goes first. 0 means all that were asked for." default:"0" env:"STOA_MEDIA_CACHE" name:"media-cache" placeholder:"MIB"`

	HealthInterval time.Duration `help:"How often the /health of each external plugin with an enabled instance is asked, by one of the replicas: 5s to 1h, or 0s for never. The answer shows as the instances' runtime state; calls are not refused because of it." default:"30s" env:"STOA_HEALTH_INTERVAL" name:"health-interval"`
}

// bound checks the limits and sets them in cfg.
func (l limits) bound(cfg *app.Config) error {
	switch {
	case l.BodyMemory < 16 || l.BodyMemory > 64<<10:
		return fmt.Errorf("--body-memory is %d: it must be from 16 to 65536 MiB", l.BodyMemory)
	case l.BodyRate < 0 || l.BodyRate > 1<<20:
		return fmt.Errorf("--body-rate is %d: it must be from 0 to 1048576 bytes per second", l.BodyRate)
	case l.AddressConnections < 0 || l.AddressConnections > 1_000_000:
		return fmt.Errorf("--address-connections is %d: it must be from 0 to 1000000", l.AddressConnections)
	case l.MediaCache < 0 || l.MediaCache > 16<<20:
		return fmt.Errorf("--media-cache is %d: it must be from 0 to 16777216 MiB", l.MediaCache)
	case l.HealthInterval != 0 && (l.HealthInterval < 5*time.Second || l.HealthInterval > time.Hour):
		return fmt.Errorf("--health-interval is %s: it must be from 5s to 1h, or 0s", l.HealthInterval)
	}
	cfg.MediaCache = l.MediaCache << 20
	cfg.BodyMemory, cfg.BodyRate = l.BodyMemory<<20, l.BodyRate
	cfg.AddressConnections, cfg.HealthInterval = l.AddressConnections, l.HealthInterval
	return nil
}
