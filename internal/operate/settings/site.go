package settings

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Site is where clients reach a stoa, and what follows from it.
type Site struct {
	PublicURL string
	Payments  string

	AllowedHosts []string
	// AnswerAtBoundAddress: requests may also be addressed to the IP address at which they arrive.
	AnswerAtBoundAddress bool
}

// Site returns the site of a stoa that listens on addr. It warns in log of settings that work and
// should be others.
func (s Serve) Site(addr net.Addr, log *slog.Logger) (Site, error) {
	site, err := s.site(addr, log)
	return site, errors.Join(err, s.checkDemo(addr))
}

func (s Serve) site(addr net.Addr, log *slog.Logger) (Site, error) {
	site := Site{PublicURL: localURL(addr), Payments: s.Payments, AllowedHosts: s.AllowedHosts}
	if s.PublicURL != "" {
		clean, warning, err := checkPublicURL(s.PublicURL)
		if err != nil {
			return site, err
		}
		if warning != "" {
			log.Warn(warning, slog.String("publicUrl", clean))
		}
		site.PublicURL = clean
	} else {
		site.AnswerAtBoundAddress = true
		if host, _, err := net.SplitHostPort(s.Addr); err == nil && isName(host) {
			site.AllowedHosts = append(slices.Clone(s.AllowedHosts), host)
		}
	}
	if err := s.checkPayments(site.PublicURL, addr); err != nil {
		return site, err
	}
	site.Payments = cmp.Or(site.Payments, "test")
	if site.Payments == "test" {
		log.Warn("test payments: every purchase is settled at once, without money",
			slog.String("setting", "STOA_PAYMENTS"))
	}
	return site, nil
}

// checkPayments returns an error if others reach the shop and nobody chose how purchases are paid: such
// a shop must not sell for free by default.
func (s Serve) checkPayments(publicURL string, addr net.Addr) error {
	_, host, _ := strings.Cut(publicURL, "://")
	at := publicURL
	tcp, ok := addr.(*net.TCPAddr)
	everywhere := s.PublicURL == "" && ok && tcp.IP.IsUnspecified() && !s.Demo // localURL names loopback then
	if everywhere {
		at = addr.String()
	}
	if s.Payments == "" && (everywhere || !isLoopback(hostOf(host))) {
		return fmt.Errorf("choose how purchases at %s are paid: --payments live takes money with Stripe, --payments test "+
			"sells without money", at)
	}
	return nil
}

func (s Serve) checkDemo(addr net.Addr) error {
	tcp, ok := addr.(*net.TCPAddr)
	if s.Demo && (!ok || !tcp.IP.IsLoopback()) {
		return errors.New("--demo is for trying stoa on one machine, so it listens on loopback addresses only")
	}
	return nil
}

// isName reports whether the host of an address to listen on is a name.
func isName(host string) bool {
	_, err := netip.ParseAddr(host)
	return host != "" && err != nil
}

// localURL returns a URL of addr that works on this machine. An address that stands for all of them
// cannot be linked to, so it becomes localhost.
func localURL(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return "http://localhost:" + strconv.Itoa(tcp.Port)
	}
	return "http://" + addr.String()
}
