package s3

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Scheme begins every URL that Open reads.
const Scheme = "s3://"

// defaultTimeout is how long storage may stay silent.
const defaultTimeout = 15 * time.Second

// place is what a URL describes.
type place struct {
	bucket, prefix string // the prefix ends in a slash, unless it is empty
	endpoint       string // host and port
	secure         bool
	region         string
	lookup         minio.BucketLookupType
	timeout        time.Duration
	instance       bool // credentials come from the machine's role
}

var (
	validBucket = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	validPrefix = regexp.MustCompile(`^([A-Za-z0-9!_.*'()-]+/)*$`)
)

// parse reads the URL of a place in object storage:
//
//	s3://bucket/prefix?endpoint=https://host:port&region=eu-central-1&path-style=on&timeout=15s&credentials=instance
//
// Its errors do not repeat the URL, which may contain a secret.
func parse(text string, getenv func(string) string) (place, error) {
	u, err := url.Parse(text)
	if err != nil || !strings.HasPrefix(text, Scheme) {
		return place{}, errors.New("the address of object storage is a URL like " +
			"s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1")
	}
	if u.User != nil {
		return place{}, errors.New("the URL of object storage must not contain credentials: " +
			"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	p := place{
		bucket: u.Host, prefix: strings.Trim(u.Path, "/"), timeout: defaultTimeout,
		region: cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), "us-east-1"),
	}
	if p.prefix != "" {
		p.prefix += "/"
	}
	if !validBucket.MatchString(p.bucket) {
		return place{}, errors.New("the URL of object storage does not begin with s3:// and the name of a bucket")
	}
	if !validPrefix.MatchString(p.prefix) || u.Fragment != "" {
		return place{}, errors.New("the prefix in the URL of object storage has other characters than letters, digits " +
			"and !_.*'()- between single slashes")
	}
	if err := p.options(u.Query()); err != nil {
		return place{}, err
	}
	if p.endpoint == "" {
		p.endpoint, p.secure = "s3."+p.region+".amazonaws.com", true
	}
	return p, nil
}

// options reads the parameters of the URL.
func (p *place) options(query url.Values) error {
	for name, values := range query {
		value := values[0]
		var err error
		switch name {
		case "endpoint":
			err = p.setEndpoint(value)
		case "region":
			p.region = value
		case "path-style":
			switch value {
			case "on":
				p.lookup = minio.BucketLookupPath
			case "off":
				p.lookup = minio.BucketLookupDNS
			default:
				err = errors.New("is on or off")
			}
		case "timeout":
			if p.timeout, err = time.ParseDuration(value); err != nil || p.timeout < 100*time.Millisecond {
				err = errors.New("is a duration of at least 100ms, like 15s")
			}
		case "credentials":
			if p.instance = value == "instance"; !p.instance {
				err = errors.New("may only be instance")
			}
		default:
			return errors.New("the URL of object storage has a parameter besides endpoint, region, path-style, timeout " +
				"and credentials")
		}
		if err != nil {
			return fmt.Errorf("%s in the URL of object storage %w", name, err)
		}
	}
	return nil
}

func (p *place) setEndpoint(value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil || u.RawQuery != "" {
		return errors.New("is a URL like https://s3.example.com, without a path")
	}
	p.endpoint, p.secure = u.Host, u.Scheme == "https"
	return nil
}

// credentials returns what signs requests: AWS's usual variables, its file of shared credentials if
// a variable names one, or the role of the machine.
func (p *place) credentials(getenv func(string) string) (*credentials.Credentials, error) {
	set := func(names ...string) bool {
		for _, name := range names {
			if getenv(name) != "" {
				return true
			}
		}
		return false
	}
	switch {
	case set("AWS_ACCESS_KEY_ID") && set("AWS_SECRET_ACCESS_KEY"):
		return credentials.NewStaticV4(getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"),
			getenv("AWS_SESSION_TOKEN")), nil
	case set("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI"), p.instance:
		client := &http.Client{Transport: newTransport(p.timeout), Timeout: p.timeout}
		return credentials.New(&credentials.IAM{Client: client}), nil
	case set("AWS_SHARED_CREDENTIALS_FILE", "AWS_PROFILE"):
		return credentials.NewFileAWSCredentials("", ""), nil
	}
	return nil, errors.New("object storage needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or add " +
		"credentials=instance to the URL on a machine that has a role")
}
