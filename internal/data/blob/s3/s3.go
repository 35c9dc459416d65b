// Package s3 stores files in object storage that speaks the S3 protocol: Amazon's, MinIO, Garage,
// Ceph and others. It is the only package that knows the protocol's client.
//
// A request ends after a timeout without an answer; an upload or download ends when no byte has
// moved for that long. Credentials never appear in errors.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"stoa/internal/data/blob"
)

// attempts is how often a request is sent.
const attempts = 3

// hashField is the name of the metadata with an object's SHA-256.
const hashField = "Sha256"

// Store is a prefix of a bucket, which must exist. It is safe for concurrent use.
type Store struct {
	place  place
	client *minio.Client
}

var _ blob.Store = (*Store)(nil)

// Open returns the storage at a URL; docs/storage.md describes its form. It does not connect: an
// error is about the URL or missing credentials. getenv reads the variables of AWS: it is
// os.Getenv, or a test's.
func Open(address string, getenv func(string) string) (*Store, error) {
	p, err := parse(address, getenv)
	if err != nil {
		return nil, err
	}
	creds, err := p.credentials(getenv)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(p.endpoint, &minio.Options{
		Creds: creds, Secure: p.secure, Region: p.region, BucketLookup: p.lookup, MaxRetries: attempts,
		Transport: newTransport(p.timeout),
	})
	if err != nil {
		return nil, fmt.Errorf("object storage: %w", err)
	}
	return &Store{place: p, client: client}, nil
}

func newTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{Timeout: timeout}).DialContext(ctx, network, address)
			return movingConn{conn, timeout}, err
		},
		TLSHandshakeTimeout:   timeout,
		ResponseHeaderTimeout: timeout,
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       time.Minute,
		DisableCompression:    true,
	}
}

// Address implements blob.Store.
func (s *Store) Address() string {
	return strings.TrimSuffix(Scheme+s.place.bucket+"/"+s.place.prefix, "/")
}

// Put implements blob.Store.
func (s *Store) Put(ctx context.Context, key string, body io.ReadSeeker, size int64, hash string) error {
	moving, watch := watchMoves(ctx, s.place.timeout)
	defer watch.stop()
	_, err := s.client.PutObject(moving, s.place.bucket, s.place.prefix+key, &movingSeeker{body, watch}, size,
		minio.PutObjectOptions{
			DisableMultipart: true, // complete or absent, with nothing to clean up
			ContentType:      "application/octet-stream", UserMetadata: map[string]string{hashField: hash},
		})
	return s.wrap(ctx, "PUT", key, err)
}

// Get implements blob.Store.
func (s *Store) Get(ctx context.Context, key string) (io.ReadCloser, blob.Object, error) {
	moving, watch := watchMoves(ctx, s.place.timeout)
	core := minio.Core{Client: s.client}
	body, info, _, err := core.GetObject(moving, s.place.bucket, s.place.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		watch.stop()
		return nil, blob.Object{}, s.wrap(ctx, "GET", key, err)
	}
	fail := func(err error) error { return s.wrap(ctx, "GET", key, err) }
	return &download{body: body, watch: watch, fail: fail, left: info.Size}, s.object(info), nil
}

// Stat implements blob.Store.
func (s *Store) Stat(ctx context.Context, key string) (blob.Object, error) {
	brief, cancel := context.WithTimeout(ctx, s.place.timeout)
	defer cancel()
	info, err := s.client.StatObject(brief, s.place.bucket, s.place.prefix+key, minio.StatObjectOptions{})
	if err != nil {
		return blob.Object{}, s.wrap(ctx, "HEAD", key, err)
	}
	return s.object(info), nil
}

// List implements blob.Store.
func (s *Store) List(ctx context.Context, prefix string) ([]blob.Object, error) {
	moving, watch := watchMoves(ctx, s.place.timeout)
	defer watch.stop()
	var list []blob.Object
	options := minio.ListObjectsOptions{Prefix: s.place.prefix + prefix, Recursive: true}
	for info := range s.client.ListObjectsIter(moving, s.place.bucket, options) {
		if info.Err != nil {
			return nil, s.wrap(ctx, "LIST", prefix, info.Err)
		}
		watch.moved()
		list = append(list, s.object(info))
	}
	return list, s.wrap(ctx, "LIST", prefix, moving.Err())
}

// Delete implements blob.Store.
func (s *Store) Delete(ctx context.Context, key string) error {
	brief, cancel := context.WithTimeout(ctx, s.place.timeout)
	defer cancel()
	err := s.wrap(ctx, "DELETE", key,
		s.client.RemoveObject(brief, s.place.bucket, s.place.prefix+key, minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s *Store) object(info minio.ObjectInfo) blob.Object {
	return blob.Object{
		Key: strings.TrimPrefix(info.Key, s.place.prefix), Size: info.Size, SHA256: info.UserMetadata[hashField],
		Modified: info.LastModified,
	}
}

// wrap returns the error of a request, for a caller with ctx. It contains nothing of the request
// but its method and key.
func (s *Store) wrap(ctx context.Context, method, key string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // the caller no longer waits
		return ctx.Err()
	}
	what := fmt.Sprintf("object storage: %s %s/%s", method, s.Address(), key)
	var answer minio.ErrorResponse
	switch {
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket:
		return fmt.Errorf("%s: %w", what, fs.ErrNotExist)
	case errors.As(err, &answer):
		return blob.Unavailable("%s: %d %s: %s", what, answer.StatusCode, answer.Code, answer.Message)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, errSilent):
		return blob.Unavailable("%s: %w of %s", what, errSilent, s.place.timeout)
	}
	var failed net.Error
	if errors.As(err, &failed) && failed.Timeout() {
		return blob.Unavailable("%s: %w of %s", what, errSilent, s.place.timeout)
	}
	return blob.Unavailable("%s: %w", what, err)
}
