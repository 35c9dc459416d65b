package main

import (
	"fmt"
	"slices"
	"strings"

	"stoa/bench/measure"
)

// What stoa's rate is to be, at least, of that of each peer.
var (
	wantedOfSmall  = map[string]float64{"ReverseProxy": 1.2, "Caddy": 1.6, "nginx": 0.6}
	wantedOfFew    = map[string]float64{"ReverseProxy": 1} // and of many
	wantedDown     = map[string]float64{"ReverseProxy": 0.9, "nginx": 0.95}
	wantedUp       = map[string]float64{"ReverseProxy": 0.9, "nginx": 0.9}
	wantedOfSocket = map[string]float64{"ReverseProxy": 1}
)

// at is a side that does its work at a path of a process.
func at(name string, p *measure.Process, path string) *side {
	return &side{name: name, url: "http://" + p.Addr + path, pids: []int{p.PID()}}
}

// call is the path of a plugin's route in stoa.
func call(slug, path string) string { return "/api/v1/shop/plugins/" + slug + path }

// external returns all sides of a work with the external plugin: stoa first, with its peers
// whose names are in only, or all.
func (s *servers) external(path, script, only string, wanted map[string]float64) []*side {
	sides := []*side{at("stoa", s.stoa, call(external, path))}
	if s.before != nil {
		sides = append(sides, at("stoa before", s.before.stoa, call(external, path)))
	}
	sides = append(sides, at("stoa, log off", s.quiet.stoa, call(external, path)))
	for _, peer := range []*side{
		at("ReverseProxy", s.proxy, path),
		{name: "Caddy", url: "http://" + s.caddyAddr + path, pids: []int{s.caddy.Process.Pid}},
		{name: "nginx", url: "http://" + s.nginxAddr + path, pids: []int{s.nginx.Process.Pid}},
	} {
		if only == "" || slices.Contains(strings.Split(only, ","), peer.name) {
			peer.wanted = wanted[peer.name]
			sides = append(sides, peer)
		}
	}
	for _, one := range sides {
		one.script = script
	}
	return sides
}

// post is a script of wrk.
func post(size int) string {
	return fmt.Sprintf(`wrk.method = "POST"; wrk.body = string.rep("b", %d)`, size)
}

// works returns what is measured, with those of the peers whose names are in only, or all.
func (s *servers) works(only string) []*work {
	get := func(wanted map[string]float64) []*side { return s.external("/api/small", "", only, wanted) }
	return []*work{
		{name: "GET, 100 bytes, external", sides: get(wantedOfSmall), load: loadHTTP},
		{name: "GET, 100 bytes, 1 connection, external", connections: 1, sides: get(wantedOfFew), load: loadHTTP},
		{name: "GET, 100 bytes, 2000 connections, external", connections: 2000, sides: get(wantedOfFew), load: loadHTTP},
		{name: "POST, 1 KiB, external", sides: s.external("/api/small", post(1024), only, wantedOfSmall), load: loadHTTP},
		{name: "GET, 10 MiB, external", sides: s.external("/api/large", "", only, wantedDown), load: loadLarge},
		{name: "POST, 10 MiB, external", sides: s.external("/api/small", post(large), only, wantedUp), load: loadLarge},
		{
			name: "WebSocket echo, 100 bytes, external", sides: s.external("/api/socket", "", only, wantedOfSocket),
			load: loadSocket,
		},
		// The bare proxy is a program in Go as well; Caddy and nginx would have to listen once more for it.
		{
			name: "GET, 100 bytes, HTTP/2, external", load: loadHTTP2,
			sides: s.external("/api/small", "", "ReverseProxy", map[string]float64{"ReverseProxy": 1}),
		},
		s.signedIn(), s.inTurn(),
		{name: "GET, 100 bytes, internal", load: loadHTTP, sides: s.internal()},
	}
}

// signedIn compares a user's calls with a guest's.
func (s *servers) signedIn() *work {
	user, guest := at("signed in", s.stoa, call(external, "/api/small")), at("guest", s.stoa, call(external, "/api/small"))
	user.script = fmt.Sprintf(`wrk.headers["Authorization"] = "Bearer %s"`, s.token)
	guest.wanted = 0.9
	return &work{name: "signed in, external", load: loadHTTP, sides: []*side{user, guest}}
}

// inTurn compares calls to many installations with calls to one.
func (s *servers) inTurn() *work {
	// The load generator is a part of the machine's work. It makes as many different requests
	// for one installation as for all, because Lua keeps each text once.
	turns := func(n int) *side {
		one := at(fmt.Sprintf("%d installations in turn", n), s.stoa, call(external, "/api/small"))
		one.script = fmt.Sprintf(`local i = 0; local path = "%s?n="
			request = function()
				i = i %% %d + 1
				return wrk.format("GET", path .. i .. "&installation=k" .. (i %% %d + 1))
			end`, call(external, "/api/small"), manyInstances, n)
		return one
	}
	return &work{
		name: "installations in turn, external", load: loadHTTP,
		sides: []*side{turns(manyInstances), turns(1000), turns(1)},
	}
}

// internal returns the sides of a call to the internal plugin: stoa, the same Fastify alone, and with the
// bare proxy in front of it.
func (s *servers) internal() []*side {
	fastify := &side{
		name: "Fastify alone", url: "http://" + s.fastifyAddr + "/api/small", pids: []int{s.fastify.Process.Pid}, wanted: 0.5,
	}
	pair := at("ReverseProxy and Fastify", s.pair, "/api/small")
	pair.pids, pair.wanted = append(pair.pids, s.fastify.Process.Pid), 1.2
	return []*side{at("stoa", s.stoa, call(internal, "/api/small")), fastify, pair}
}
