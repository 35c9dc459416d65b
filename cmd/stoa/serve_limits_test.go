package main

import (
	"testing"
	"time"

	"stoa/internal/app"
)

func TestLimitsHaveBounds(t *testing.T) {
	t.Parallel()
	good := limits{BodyMemory: 16, HealthInterval: 5 * time.Second}
	for name, row := range map[string]struct {
		change func(*limits)
		ok     bool
	}{
		"the least":            {func(*limits) {}, true},
		"the most":             {func(l *limits) { *l = limits{65536, 1 << 20, 1_000_000, 16 << 20, time.Hour} }, true},
		"no probes":            {func(l *limits) { l.HealthInterval = 0 }, true},
		"too little memory":    {func(l *limits) { l.BodyMemory = 15 }, false},
		"too much memory":      {func(l *limits) { l.BodyMemory = 65537 }, false},
		"a negative rate":      {func(l *limits) { l.BodyRate = -1 }, false},
		"too high a rate":      {func(l *limits) { l.BodyRate = 1<<20 + 1 }, false},
		"a negative number":    {func(l *limits) { l.AddressConnections = -1 }, false},
		"too many connections": {func(l *limits) { l.AddressConnections = 1_000_001 }, false},
		"a negative cache":     {func(l *limits) { l.MediaCache = -1 }, false},
		"too large a cache":    {func(l *limits) { l.MediaCache = 16<<20 + 1 }, false},
		"probes too often":     {func(l *limits) { l.HealthInterval = 5*time.Second - 1 }, false},
		"probes too rarely":    {func(l *limits) { l.HealthInterval = time.Hour + 1 }, false},
		"a negative interval":  {func(l *limits) { l.HealthInterval = -time.Second }, false},
	} {
		l, cfg := good, app.Config{}
		row.change(&l)
		err := l.bound(&cfg)
		if (err == nil) != row.ok {
			t.Errorf("%s: %v", name, err)
		}
		if row.ok && (cfg.BodyMemory != l.BodyMemory<<20 || cfg.BodyRate != l.BodyRate ||
			cfg.AddressConnections != l.AddressConnections || cfg.HealthInterval != l.HealthInterval ||
			cfg.MediaCache != l.MediaCache<<20) {
			t.Errorf("%s: %+v is set as %d, %d, %d, %d, %s", name, l, cfg.BodyMemory, cfg.BodyRate, cfg.AddressConnections,
				cfg.MediaCache, cfg.HealthInterval)
		}
	}
}
