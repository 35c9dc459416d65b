package proof

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/redistest"
	"stoa/internal/testkit/s3test"
)

const replicas = 3

// fleet is several replicas behind a proxy, and what they share.
type fleet struct {
	*cluster

	database *pgtest.Server
	redis    *redistest.Server
	edge     *edge
	outside  *outside // the service of the external plugin
	book     *book
}

// newFleet starts replicas of a program over empty places, with a proxy before them. program is empty for this one:
// then files are in object storage, and each replica has a data folder of its own.
func newFleet(t *testing.T, program string, before proxy) *fleet {
	t.Helper()
	f := &fleet{
		cluster: &cluster{dir: t.TempDir()}, database: pgtest.NewServer(t), redis: redistest.New(t),
		outside: newOutside(), book: newBook(),
	}
	srv := httptest.NewServer(f.outside)
	t.Cleanup(srv.Close)
	f.outside.url = srv.URL
	f.env = append(sharedPlaces(f.dir, f.database.URL), "STOA_REDIS_URL="+f.redis.URL,
		"STOA_TRUSTED_PROXIES=127.0.0.0/8", // so that each client has an address of its own
		"STOA_LICENSE_CHURN=0", "STOA_EXTERNAL_ALLOW=127.0.0.0/8", "STOA_MAIL=log",
		"STOA_ADMIN_EMAIL="+adminEmail, "STOA_ADMIN_PASSWORD="+adminPassword)
	f.env = append(f.env, before.environment(t)...)
	// Before object storage, replicas shared a folder.
	objects := program == ""
	if objects {
		f.env = append(f.env, s3test.Environment()...)
		f.env = append(f.env, "STOA_STORAGE_URL="+s3test.New(t).URL(t, "stoa", "shop", ""))
	}
	file := filepath.Join(f.dir, "catalog.yaml")
	if err := os.WriteFile(file, []byte(catalog), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"migrate"}, {"catalog", "import", file}} {
		f.command(t, program, args...)
	}
	addresses := make([]string, replicas)
	for i := range addresses {
		addresses[i] = porttest.Free(t)
		p := &process{tb: t, env: slices.Clone(f.env), program: program, address: addresses[i]}
		if objects {
			p.env = append(p.env, "STOA_DATA="+t.TempDir())
		}
		p.begin(t)
		f.processes = append(f.processes, p)
	}
	f.edge = newEdge(t, before, addresses)
	var err error
	if f.db, err = sql.Open("pgx", f.database.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.db.Close() })
	return f
}

// sharedPlaces returns the settings of what replicas share: a folder, and the database.
func sharedPlaces(dir, database string) []string {
	return []string{"STOA_DATA=" + dir, "STOA_DATABASE_URL=" + database, "STOA_MASTER_KEY=" + testkit.MasterKey}
}

// command runs a command of a program and waits until it has ended.
func (f *fleet) command(t *testing.T, program string, args ...string) {
	t.Helper()
	if program == "" {
		program = stoa(t)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), f.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("stoa %v: %v\n%s", args, err, out)
	}
}

// Three replicas behind nginx share PostgreSQL, Redis and files, while clients sign in, buy,
// activate, verify, upgrade a plugin, call plugins and change instances. One replica after
// another is killed; all are replaced by a new version; Redis is cut, PostgreSQL restarts.
// No answer is taken back, and no client sees a failure but those whose request a killed
// replica was answering, or that were waiting for PostgreSQL.
//
// With STOA_PROOF_PREVIOUS the replicas begin as the previous release.
func TestReplicasBehindNginx(t *testing.T) { //nolint:paralleltest // it takes the whole machine
	needtest.Long(t, "it rolls, kills and restarts replicas for minutes")
	notShort(t)
	seed := newSeed(t)
	before := previousRelease(t)
	f := newFleet(t, before, nginx)
	finish := f.work(t, seed)
	rng := rand.New(rand.NewPCG(seed, 1000))
	scale := time.Duration(effort(t))
	f.phase(t, "quiet", func() { pass(t, 3*time.Second*scale) })
	f.phase(t, "kills", func() { f.killSome(t, rng, 6*effort(t)) })
	f.phase(t, "migrate, roll to the new version", func() {
		if before != "" {
			f.command(t, "", "migrate")
		}
		pass(t, time.Second) // the previous release on the new schema
		f.roll(t, "")
	})
	f.phase(t, "kills of the new version", func() { f.killSome(t, rng, 4*effort(t)) })
	f.phase(t, "Redis crashes", func() {
		f.redis.Stop()
		pass(t, 2*time.Second*scale)
		f.redis.Start(t)
		pass(t, time.Second)
	})
	f.phase(t, "Redis hangs", func() {
		f.redis.Pause()
		pass(t, 2*time.Second*scale)
		f.redis.Resume()
		pass(t, time.Second)
	})
	f.phase(t, "PostgreSQL restarts", func() { f.outage(t, f.database.Stop) })
	f.phase(t, "PostgreSQL crashes", func() { f.outage(t, f.database.Crash) })
	f.phase(t, "roll", func() { f.roll(t, "") })
	finish()
}

// The same replicas behind the shipped Caddyfile: while they are replaced one after another, no client
// sees a failure.
func TestReplicasBehindCaddy(t *testing.T) { //nolint:paralleltest // it takes the whole machine
	needtest.Long(t, "it rolls replicas for minutes")
	notShort(t)
	f := newFleet(t, "", caddy)
	finish := f.work(t, newSeed(t))
	f.phase(t, "quiet", func() { pass(t, 2*time.Second) })
	for i := range 2 * effort(t) {
		f.phase(t, fmt.Sprint("roll ", i+1), func() { f.roll(t, "") })
	}
	finish()
}

// work has clients work until finish is called, which then checks everything they were answered.
func (f *fleet) work(t *testing.T, seed uint64) (finish func()) {
	t.Helper()
	staff := f.hire(t, seed)
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for _, s := range staff {
		work.Go(func() { s.work(ctx) })
	}
	return func() {
		t.Helper()
		stop()
		work.Wait()
		f.phase(t, "after", func() { f.delivered(t) })
		f.book.report(t)
		for _, s := range staff {
			s.audit(t)
		}
		f.checkBooks(t)
		f.outside.hooks.check(t, f.cluster, 20)
		f.outside.check(t)
	}
}

// pass lets clients work for a while.
func pass(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}

// killSome kills one replica after another (kill -9) and starts it again.
func (f *fleet) killSome(t *testing.T, rng *rand.Rand, n int) {
	t.Helper()
	for range n {
		pass(t, 200*time.Millisecond+time.Duration(rng.Int64N(int64(time.Second))))
		p := f.processes[rng.IntN(len(f.processes))]
		fault := f.book.begins(faultOf(p))
		p.kill()
		fault.ends()
		f.book.killed()
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
	}
	pass(t, time.Second)
}

// roll replaces one replica after another, each stopped as an operator does.
func (f *fleet) roll(t *testing.T, program string) {
	t.Helper()
	for _, p := range f.processes {
		p.stop()
		p.program = program
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		pass(t, 500*time.Millisecond)
	}
}

// recovery is how long after PostgreSQL is back a request may fail: ten times as long as
// it takes.
const recovery = 20 * time.Second

// outage ends PostgreSQL, and starts it again after a second.
func (f *fleet) outage(t *testing.T, end func()) {
	t.Helper()
	fault := f.book.begins(fault{all: true})
	end()
	pass(t, time.Second)
	f.database.Start(t)
	f.book.awaitSuccess(t, recovery)
	fault.ends()
	pass(t, 2*time.Second)
}

// phase counts what happens meanwhile under a name.
func (f *fleet) phase(t *testing.T, name string, during func()) {
	t.Helper()
	f.book.phase(name)
	during()
}

// faultOf is the fault of one replica.
func faultOf(p *process) fault { return fault{upstream: p.address} }
