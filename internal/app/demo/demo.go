// Package demo sets up demo data in a new stoa: a catalog, sales that were never made, three plugins, a
// theme app and an administrator. It imports the catalog as the command line does, makes up the sales
// with the services that sell, and uses the public API for the rest. It does not change existing data,
// so it may run again.
package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"stoa/examples/plugins"
	"stoa/examples/themes"
	"stoa/internal/app/demo/goods"
	"stoa/internal/app/demo/sales"
	"stoa/internal/base/errs"
	"stoa/internal/shop/catalog"
)

// Demo sets up the demo data of one running stoa. All fields are required.
type Demo struct {
	URL     string // of the running server
	Dir     string // its data folder
	Node    string // the Node.js executable
	Admin   Password
	Catalog *catalog.Service
	Shop    *sales.Shop
	// Secrets returns a package's signing secrets, the current one first.
	Secrets interface {
		SigningSecrets(ctx context.Context, slug string) ([]string, error)
	}
	Log    *slog.Logger
	Client *http.Client
}

// NewClient returns an HTTP client for a Demo.
func NewClient() *http.Client {
	return &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
}

// Start imports the catalog, makes up its sales, installs the theme app and the plugins, and starts the service of the
// external one. Calling stop ends that service. If the service cannot start, for example without
// Node.js, Start logs that and continues.
func (d *Demo) Start(ctx context.Context) (stop func(), err error) {
	if _, err := d.Catalog.Import(ctx, goods.FS, goods.File); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	if err := d.makeSales(ctx); err != nil {
		return nil, fmt.Errorf("sales: %w", err)
	}
	port, err := stablePort(ctx, filepath.Join(d.Dir, "demo", "loyalty-points.port"))
	if err != nil {
		return nil, err
	}
	if err := d.installAll(ctx, port); err != nil {
		return nil, err
	}
	return d.startLoyalty(ctx, port)
}

// installAll installs the theme app and the plugins. It does nothing if the administrator's password was
// changed.
func (d *Demo) installAll(ctx context.Context, port int) error {
	api, err := d.signIn(ctx)
	if errors.Is(err, errRefused) {
		d.Log.WarnContext(ctx, "demo plugins left unchanged: the demo administrator's password was changed",
			slog.String("email", AdminEmail))
		return nil
	}
	if err != nil {
		return err
	}
	if err := d.installTheme(ctx, api); err != nil {
		return err
	}
	for _, name := range []string{giftNotes, shippingRates} {
		if err := d.install(ctx, api, name, nil); err != nil {
			return err
		}
	}
	return d.install(ctx, api, loyaltyPoints, map[string]any{
		"externalBaseUrl": fmt.Sprintf("http://127.0.0.1:%d", port),
	})
}

// The example plugins.
const (
	giftNotes     = "gift-notes"
	shippingRates = "shipping-rates"
	loyaltyPoints = "loyalty-points"
)

// shippingConfig is the configuration of the plugin shippingRates.
var shippingConfig = map[string]any{
	"originCountry": "DE", "currency": "EUR", "baseRate": 4.9, "carrierApiKey": "demo-carrier-key",
}

// install installs an example plugin and configures it if it is new. It does not reinstall a
// removed plugin.
func (d *Demo) install(ctx context.Context, api *client, name string, overrides map[string]any) error {
	archive, err := plugins.Archive(name, overrides)
	if err != nil {
		return err
	}
	const route = "/api/v1/admin/extensions/plugin/install"
	status, data, err := api.call(ctx, http.MethodPost, route, "application/zip", archive)
	switch {
	case err != nil:
		return err
	case status == http.StatusConflict:
		d.Log.InfoContext(ctx, "demo plugin left unchanged", slog.String("slug", name))
		return nil
	case status != http.StatusCreated && status != http.StatusOK:
		return fmt.Errorf("install %s: status %d: %v", name, status, data)
	}
	// If an earlier start was interrupted here, the plugin is installed but not
	// configured. Never overwrite a configuration.
	instance, _ := data["defaultInstance"].(map[string]any)
	if name == shippingRates && instance["config"] == nil {
		id, _ := instance["installationId"].(string)
		return api.patch(ctx, "/api/v1/admin/plugins/"+name+"/instances/"+id,
			map[string]any{"config": shippingConfig, "enabled": true})
	}
	return nil
}

// corner is the example theme app.
const corner = "corner"

// installTheme installs the theme app at the first start, before the plugins. It is not
// activated: the shop's own pages stay at the root.
func (d *Demo) installTheme(ctx context.Context, api *client) error {
	status, _, err := api.call(ctx, http.MethodGet, "/api/v1/admin/plugins/"+giftNotes, "", nil)
	if err != nil || status != http.StatusNotFound {
		return err
	}
	archive, err := themes.Archive(corner)
	if err != nil {
		return err
	}
	const route = "/api/v1/admin/extensions/theme-app-shop/install"
	status, data, err := api.call(ctx, http.MethodPost, route, "application/zip", archive)
	if err == nil && status != http.StatusCreated && status != http.StatusOK {
		err = fmt.Errorf("install %s: status %d: %v", corner, status, data)
	}
	return err
}

// startLoyalty starts the service of the external plugin, unless the plugin was
// removed.
func (d *Demo) startLoyalty(ctx context.Context, port int) (stop func(), err error) {
	secrets, err := d.Secrets.SigningSecrets(ctx, loyaltyPoints)
	if errs.KindOf(err) == errs.NotFound {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	svc, err := startService(ctx, d.Log, d.Node, filepath.Join(d.Dir, "demo"), port, secrets[0])
	if err != nil {
		d.Log.WarnContext(ctx, "the demo's external plugin did not start", slog.Any("err", err))
		return func() {}, nil
	}
	return svc.stop, nil
}
