package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// healthcheckCmd asks a stoa on this machine whether it is ready. Container images
// without a shell need a program of their own for that.
type healthcheckCmd struct {
	Addr string
}

// healthcheckTimeout is shorter than the 30 s after which Docker ends a check.
const healthcheckTimeout = 5 * time.Second

// Run returns an error unless /readyz answers 200 within 5 seconds.
func (c healthcheckCmd) Run(ctx context.Context, std streams) error {
	ctx, cancel := context.WithTimeout(ctx, healthcheckTimeout)
	defer cancel()
	addr, err := dialable(c.Addr)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy: it is this machine
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: GET /readyz at %s answers %s", addr, resp.Status)
	}
	_, err = fmt.Fprintln(std.out, "ready")
	return err
}

// dialable returns where a server that listens on addr is reached on this machine: on
// loopback, if it listens on all addresses.
func dialable(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "", err == nil && ip.IsUnspecified() && ip.Is4():
		host = "127.0.0.1"
	case err == nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port), nil
}
