// Package egress connects a contained plugin to the world outside its process: to the platform
// API of stoa, and to those hosts that an administrator granted to it.
//
// A contained plugin runs in a separate, empty network (package sandbox). stoa listens inside
// that network, at the very addresses that the plugin connects to, and the plugin's hosts file
// has the names. So every program works unchanged, with fetch, http, TLS or a plain socket, and
// hosts that were not granted do not exist. None of this relies on the plugin's goodwill or on
// JavaScript.
package egress

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/base/netperm"
	"stoa/internal/base/reqctx"
	"stoa/internal/run/sandbox"
)

// PlatformPath is the prefix of the paths of stoa that a plugin may call.
const PlatformPath = "/api/v1/platform/"

// Permission is the prefix of the permissions that allow a host.
const Permission = netperm.Prefix

// maxRoutes is how many addresses one plugin can reach.
const maxRoutes = 64

// Config configures a Gate. Log is required.
type Config struct {
	Log *slog.Logger

	// BaseURL is the base URL at which plugins call the platform. Empty: they cannot.
	BaseURL string

	// Platform answers calls of the platform API, and other calls only from a Whole plan.
	Platform http.Handler

	// Listen and ConnState, if set, are applied to the server of Platform as to every other
	// server of stoa.
	Listen    func(net.Listener) net.Listener
	ConnState func(net.Conn, http.ConnState)

	// Allow lists private networks that may be granted (STOA_EXTERNAL_ALLOW). Loopback, where
	// stoa itself listens, can never be granted.
	Allow []netip.Prefix

	// Resolver resolves granted hosts. nil: the one of this machine. Tests set it.
	Resolver *net.Resolver
}

// Gate makes a Plan for each plugin. It is safe for concurrent use.
type Gate struct {
	cfg    Config
	dialer *net.Dialer

	name   string // of the platform; empty without one
	port   uint16
	prefix string // of the base URL's path
	tls    *authority
}

// New returns a Gate.
func New(cfg Config) (*Gate, error) {
	g := &Gate{cfg: cfg, dialer: guardedDialer(notLoopback(cfg.Allow))}
	g.dialer.Resolver = cfg.Resolver
	if cfg.BaseURL == "" {
		return g, nil
	}
	base, err := url.Parse(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("egress: the platform's base URL: %w", err)
	}
	g.name, g.prefix = strings.ToLower(base.Hostname()), strings.TrimSuffix(base.EscapedPath(), "/")
	g.port = 80
	if base.Scheme == "https" {
		g.port = 443
		if g.tls, err = newAuthority(g.name); err != nil {
			return nil, fmt.Errorf("egress: %w", err)
		}
	}
	if text := base.Port(); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("egress: the platform's base URL: %w", err)
		}
		g.port = uint16(port)
	}
	if g.name == "" || g.port == 0 {
		return nil, errors.New("egress: the platform's base URL has no host")
	}
	return g, nil
}

// BaseURL returns the base URL at which plugins call the platform. Empty: they cannot.
func (g *Gate) BaseURL() string { return g.cfg.BaseURL }

// HasPlatform reports whether plugins can call the platform.
func (g *Gate) HasPlatform() bool { return g.name != "" }

// Plan lists what one program can reach.
type Plan struct {
	// Channel says whose way to the platform this is. The zero value: no plugin's.
	Channel reqctx.Channel

	gate   *Gate
	whole  bool // all of stoa can be reached, not only PlatformPath
	names  map[string]netip.Addr
	routes []route
	ready  waiting
}

// route is an address inside the plugin's network and the target behind it.
type route struct {
	at   netip.AddrPort
	host string // "" for the platform, and for askAt
	port uint16
}

// Plan returns what a plugin with these effective permissions can reach. It ignores permissions
// that name no host. Permissions that name one wrongly allow nothing, and are returned as wrong.
func (g *Gate) Plan(permissions []string) (p *Plan, wrong []string) {
	p = &Plan{gate: g, names: make(map[string]netip.Addr)}
	if g.name != "" {
		p.add(g.name, g.port, true)
	}
	for _, permission := range permissions {
		if !strings.HasPrefix(permission, Permission) {
			continue
		}
		host, ports, ok := netperm.Parse(permission)
		if !ok || len(p.routes)+len(ports) > maxRoutes {
			wrong = append(wrong, permission)
			continue
		}
		for _, port := range ports {
			p.add(host, port, false)
		}
	}
	return p, wrong
}

// Whole returns what a theme app can reach: everything below the platform's base URL, and
// nothing else.
func (g *Gate) Whole() *Plan {
	p, _ := g.Plan(nil)
	p.whole = true
	return p
}

// add makes host reachable at port. An existing route stays: the platform is added first.
func (p *Plan) add(host string, port uint16, platform bool) {
	at := netip.AddrPortFrom(p.address(host), port)
	if slices.ContainsFunc(p.routes, func(r route) bool { return r.at == at }) {
		return
	}
	r := route{at: at, host: host, port: port}
	if platform {
		r.host = ""
	}
	p.routes = append(p.routes, r)
}

// address returns the address of a host inside the plugin's network: an IP address is its own,
// a name gets a made-up one.
func (p *Plan) address(host string) netip.Addr {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr
	}
	if host == "localhost" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	addr, ok := p.names[host]
	if !ok {
		addr = netip.AddrFrom4([4]byte{127, 77, 0, byte(len(p.names) + 1)}) //nolint:gosec // maxRoutes
		p.names[host] = addr
	}
	return addr
}

// Apply sets in spec what the plugin can resolve and connect to, and returns the variables that
// its environment needs. It is called once.
func (p *Plan) Apply(spec *sandbox.Spec) []string {
	for name, addr := range p.names {
		spec.Hosts = append(spec.Hosts, sandbox.Host{Name: name, Address: addr.String()})
	}
	for _, r := range p.routes {
		spec.Listen = append(spec.Listen, r.at.String())
	}
	var env []string
	if !p.whole {
		env = append(env, Variable+"="+p.environment())
		if slices.ContainsFunc(p.routes, func(r route) bool { return r.host != "" }) {
			p.routes = append(p.routes, route{at: askAt})
			spec.Listen = append(spec.Listen, askAt.String())
		}
	}
	if p.gate.tls == nil {
		return env
	}
	const path = "/etc/stoa-platform.pem"
	spec.Files = map[string]string{path: p.gate.tls.certificate}
	return append(env, "NODE_EXTRA_CA_CERTS="+path)
}
