package app

import (
	"fmt"
	"net/url"
	"slices"

	"stoa/internal/edge/hosts"
	"stoa/internal/operate/settings"
)

// answeredHosts returns the hosts that requests may be addressed to, from the configuration.
func answeredHosts(cfg Config) (hosts.Policy, error) {
	names := slices.Clone(cfg.AllowedHosts)
	if u, err := url.Parse(cfg.PublicURL); err == nil && u.Hostname() != "" {
		names = append(names, u.Hostname())
	}
	p, err := hosts.New(cfg.AnswerAtBoundAddress, names...)
	if err != nil {
		return p, settings.Wrong(fmt.Errorf("allowed hosts: %w", err))
	}
	return p, nil
}
