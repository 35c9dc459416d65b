package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// attempts is how often Update tries.
const attempts = 20

// Stored is what the platform tells of a key.
type Stored struct {
	Key       string     `json:"key"`
	Size      int64      `json:"size"`
	ETag      string     `json:"etag"` // with its quotes, as PutOptions.IfMatch takes it
	ExpiresAt *time.Time `json:"expiresAt"`
	By        *By        `json:"by"` // nil: not by staff who act as a user
	Created   bool       `json:"-"`  // by Put, which replaced nothing
}

// By is who of the staff wrote a value as which user: see Context.Impersonator.
type By struct {
	UserID         string `json:"userId"`
	ImpersonatorID string `json:"impersonatorId"`
}

// Value is a stored value.
type Value struct {
	Data        []byte
	ContentType string
	ETag        string
}

// PutOptions are conditions and properties of a value. The zero value replaces whatever is stored, for good.
type PutOptions struct {
	TTL         time.Duration // whole seconds; zero: the value stays
	IfMatch     string        // replace only the value with this ETag, else ErrChanged
	IfAbsent    bool          // write only where nothing is stored, else ErrChanged
	ContentType string        // application/octet-stream by default
}

// KeyQuery selects keys.
type KeyQuery struct {
	Prefix string
	Cursor string // NextCursor of the page before
	Limit  int    // 1 to 100; 20 by default
}

// KeyPage is one page of keys, in the order of their bytes.
type KeyPage struct {
	Items      []Stored `json:"items"`
	NextCursor string   `json:"nextCursor"` // empty on the last page
}

// Storage is values of one installation, which no other one sees. Reading needs the permission
// storage:read, writing storage:write. A key has 1 to 512 bytes of UTF-8, a value up to 1 MiB.
type Storage struct{ p *Platform }

// Storage returns the storage of the installation.
func (p *Platform) Storage() Storage { return Storage{p} }

// Get returns a value, or ErrNotFound.
func (s Storage) Get(ctx context.Context, key string) (Value, error) {
	res, err := s.p.do(ctx, http.MethodGet, keyPath(key), nil, nil, nil)
	if err != nil {
		return Value{}, err
	}
	return Value{res.body, res.header.Get("Content-Type"), res.header.Get("ETag")}, nil
}

// GetJSON decodes a value into v. It returns ErrNotFound if nothing is stored.
func (s Storage) GetJSON(ctx context.Context, key string, v any) error {
	value, err := s.Get(ctx, key)
	if err != nil {
		return err
	}
	return json.Unmarshal(value.Data, v)
}

// Put stores a value. It returns ErrChanged if a condition does not hold.
func (s Storage) Put(ctx context.Context, key string, data []byte, o PutOptions) (out Stored, err error) {
	header, query := http.Header{}, url.Values{}
	header.Set("Content-Type", "application/octet-stream")
	if o.ContentType != "" {
		header.Set("Content-Type", o.ContentType)
	}
	if o.IfMatch != "" {
		header.Set("If-Match", o.IfMatch)
	}
	if o.IfAbsent {
		header.Set("If-None-Match", "*")
	}
	if o.TTL != 0 {
		query.Set("ttl", strconv.FormatInt(int64(o.TTL/time.Second), 10))
	}
	if data == nil {
		data = []byte{} // a body all the same
	}
	res, err := s.p.do(ctx, http.MethodPut, keyPath(key), query, header, data)
	if err != nil {
		return out, err
	}
	err = res.data(&out)
	out.Created = res.status == http.StatusCreated
	return out, err
}

// PutJSON stores a value as JSON.
func (s Storage) PutJSON(ctx context.Context, key string, v any, o PutOptions) (Stored, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return Stored{}, err
	}
	if o.ContentType == "" {
		o.ContentType = "application/json"
	}
	return s.Put(ctx, key, data, o)
}

// Delete removes a value, and succeeds if nothing is stored. With ifMatch, it removes only the value with
// this ETag, else it returns ErrChanged.
func (s Storage) Delete(ctx context.Context, key, ifMatch string) error {
	header := http.Header{}
	if ifMatch != "" {
		header.Set("If-Match", ifMatch)
	}
	_, err := s.p.do(ctx, http.MethodDelete, keyPath(key), nil, header, nil)
	return err
}

// List returns one page of keys.
func (s Storage) List(ctx context.Context, q KeyQuery) (page KeyPage, err error) {
	query := url.Values{}
	if q.Prefix != "" {
		query.Set("prefix", q.Prefix)
	}
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	if q.Limit != 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	err = s.p.get(ctx, "storage", query, &page)
	return page, err
}

// Update changes a JSON value by compare-and-swap and returns the new one: if another request wrote in
// between, change is called again with what it wrote, up to 20 times, then Update returns ErrChanged. change
// gets the zero value if nothing is stored. If it returns an error, nothing is written, and Update returns
// the error.
func Update[T any](ctx context.Context, s Storage, key string, change func(T) (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		value, err := update(ctx, s, key, change)
		if !errors.Is(err, ErrChanged) || attempt == attempts {
			return value, err
		}
		most := time.Duration(min(5*attempt, 50)) * time.Millisecond
		select { // let the others finish
		case <-time.After(rand.N(most)): //nolint:gosec // nobody gains by guessing it
		case <-ctx.Done():
			return value, ctx.Err()
		}
	}
}

func update[T any](ctx context.Context, s Storage, key string, change func(T) (T, error)) (value T, err error) {
	var o PutOptions
	switch stored, err := s.Get(ctx, key); {
	case errors.Is(err, ErrNotFound):
		o.IfAbsent = true
	case err != nil:
		return value, err
	default:
		o.IfMatch = stored.ETag
		if err := json.Unmarshal(stored.Data, &value); err != nil {
			return value, fmt.Errorf("plugin: the value of %q: %w", key, err)
		}
	}
	if value, err = change(value); err != nil {
		return value, err
	}
	_, err = s.PutJSON(ctx, key, value, o)
	return value, err
}

// keyPath encodes dots as well: "." and ".." would be read as parts of the path.
func keyPath(key string) string {
	return "storage/" + strings.ReplaceAll(url.PathEscape(key), ".", "%2E")
}
