package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/minio/minio-go/v7"

	"stoa/internal/data/blob"
)

// partSize is the size of the parts of a stream. A stream takes that much memory, and has at most
// 10,000 parts: 312 GiB.
const partSize = 32 << 20

// Create starts an object of unknown size. It ends when ctx does.
func (s *Store) Create(ctx context.Context, key string) (blob.Upload, error) {
	from, to := io.Pipe()
	u := &stream{to: to, done: make(chan struct{})}
	go func() {
		defer close(u.done)
		_, err := s.client.PutObject(ctx, s.place.bucket, s.place.prefix+key, from, -1, minio.PutObjectOptions{
			PartSize: partSize, ContentType: "application/octet-stream",
		})
		if !errors.Is(err, errAborted) {
			u.err = s.wrap(ctx, "PUT", key, err)
		}
		_ = from.CloseWithError(cmpErr(u.err, io.ErrClosedPipe)) // a later Write returns the error
	}()
	return u, nil
}

// cmpErr returns err, or other if err is nil.
func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// errAborted ends a stream that is discarded.
var errAborted = errors.New("aborted")

// stream is an object that is being written.
type stream struct {
	to   *io.PipeWriter
	done chan struct{}
	err  error // valid after done
}

// Write implements io.Writer.
func (u *stream) Write(b []byte) (int, error) { return u.to.Write(b) }

// Commit implements blob.Upload.
func (u *stream) Commit() error {
	_ = u.to.Close() // never fails
	<-u.done
	return u.err
}

// Abort implements blob.Upload. The client library removes the parts that exist.
func (u *stream) Abort() error {
	_ = u.to.CloseWithError(errAborted) // never fails
	<-u.done
	return u.err
}

// Sweep removes the parts of streams that started before until and were never committed.
func (s *Store) Sweep(ctx context.Context, until time.Time) error {
	var all []error
	for part := range s.client.ListIncompleteUploads(ctx, s.place.bucket, s.place.prefix, true) {
		if part.Err != nil {
			return errors.Join(append(all, s.wrap(ctx, "LIST uploads of", "", part.Err))...)
		}
		if part.Initiated.Before(until) {
			err := s.client.RemoveIncompleteUpload(ctx, s.place.bucket, part.Key)
			if err != nil {
				all = append(all, fmt.Errorf("object storage: %w", err))
			}
		}
	}
	return errors.Join(all...)
}
