package measure

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// StartStatic starts this program again, as a net/http server whose every answer
// is size bytes. The program's flag -static has to call ServeStatic.
func StartStatic(ctx context.Context, size int) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return Start(ctx, regexp.MustCompile(`listening on (\S+)`), nil, self, "-static", strconv.Itoa(size))
}

// ServeStatic answers every request with size bytes.
func ServeStatic(ctx context.Context, size int) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	body := []byte(strings.Repeat("x", size))
	srv := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			if size > 2048 { // or net/http sends it in chunks
				w.Header().Set("Content-Length", strconv.Itoa(size))
			}
			_, _ = w.Write(body)
		}),
	}
	fmt.Fprintln(os.Stderr, "listening on", ln.Addr())
	go func() { <-ctx.Done(); _ = srv.Close() }()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
