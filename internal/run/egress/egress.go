// Package egress is what a contained plugin reaches beyond its own process: the
// platform API of stoa, and those hosts that an administrator granted to it.
//
// A contained plugin has a network of its own with nothing on it (package
// sandbox). stoa listens inside of that network, at the very addresses that the
// plugin will connect to, and the plugin's hosts file has the names. So every
// program works unchanged, with fetch, http, TLS or a plain socket, and what is
// not listened for does not exist. Nothing of this depends on the plugin's
// goodwill or on JavaScript.
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
	"stoa/internal/run/sandbox"
)

// PlatformPath is below what a plugin may reach of stoa.
const PlatformPath = "/api/v1/platform/"

// Permission begins the permissions that allow a host.
const Permission = netperm.Prefix

// maxRoutes bounds how many addresses one plugin can reach.
const maxRoutes = 64

// Config says what plugins reach. Log is required.
type Config struct {
	Log *slog.Logger

	// BaseURL is where plugins are told to call the platform. Empty: nowhere.
	BaseURL string

	// Platform answers calls of the platform API. It gets no others.
	Platform http.Handler

	// Listen and ConnState, if set, are used for the server of Platform as for any
	// other server of stoa.
	Listen    func(net.Listener) net.Listener
	ConnState func(net.Conn, http.ConnState)

	// Allow lists networks that may be granted although they are private
	// (STOA_EXTERNAL_ALLOW). Loopback, where stoa itself listens, is never among
	// them.
	Allow []netip.Prefix
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

// Plan is what one program reaches.
type Plan struct {
	gate   *Gate
	whole  bool // all of stoa, not only PlatformPath
	names  map[string]netip.Addr
	routes []route
}

// route is an address inside of the plugin's network, and what is behind it.
type route struct {
	at   netip.AddrPort
	host string // "" for the platform
	port uint16
}

// Plan returns what a plugin with these effective permissions reaches. Those that
// name no host are none of its business; those that name one in a wrong way allow
// nothing and are returned, too.
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

// Whole returns what a theme app reaches: all that is below the platform's base URL,
// and nothing else.
func (g *Gate) Whole() *Plan {
	p, _ := g.Plan(nil)
	p.whole = true
	return p
}

// add makes host reachable at port. What is there already stays: the platform
// comes first.
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

// address returns where inside of the plugin's network a host is found: an address
// at itself, a name at one made up for it.
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

// Apply tells the sandbox what the plugin can resolve and connect to, and returns
// what has to be in its environment.
func (p *Plan) Apply(spec *sandbox.Spec) []string {
	for name, addr := range p.names {
		spec.Hosts = append(spec.Hosts, sandbox.Host{Name: name, Address: addr.String()})
	}
	for _, r := range p.routes {
		spec.Listen = append(spec.Listen, r.at.String())
	}
	if p.gate.tls == nil {
		return nil
	}
	const path = "/etc/stoa-platform.pem"
	spec.Files = map[string]string{path: p.gate.tls.certificate}
	return []string{"NODE_EXTRA_CA_CERTS=" + path}
}
