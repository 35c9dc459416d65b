// Package pipetest serves connections in memory to tests with virtual time (synctest). A
// pipe holds no byte that the other side has not read, so a client that stops reading is felt
// at once.
package pipetest

import "net"

// Listener accepts the connections that Dial makes. Make it with New.
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
}

// New returns an open Listener.
func New() *Listener { return &Listener{make(chan net.Conn), make(chan struct{})} }

// Dial returns the client's side of a connection once the other side is accepted. The caller
// closes it.
func (l *Listener) Dial() net.Conn {
	server, client := net.Pipe()
	l.conns <- server
	return client
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. It is called once.
func (l *Listener) Close() error {
	close(l.done)
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{} }
