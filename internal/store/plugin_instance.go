package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension/plugin"
)

// errChanged is returned to a writer that has not seen the latest version.
var errChanged = errs.New(errs.Conflict, "CONFLICT", "The instance was changed at the same moment. Try again.")

const instanceColumns = `i.id, i.package_slug, i.instance_key, i.enabled, i.config_sealed, i.granted, i.undecided,
	i.version, i.enabling, i.created_at_ms, i.updated_at_ms, i.deleted_at_ms`

// instanceRow receives a row of instanceColumns.
type instanceRow struct {
	in                 plugin.StoredInstance
	granted, undecided string
}

func (r *instanceRow) targets() []any {
	in := &r.in
	return []any{
		&in.ID, &in.Slug, &in.Key, &in.Enabled, &in.Sealed, &r.granted, &r.undecided, &in.Version, &in.Enabling,
		database.ScanMillis(&in.CreatedAt), database.ScanMillis(&in.UpdatedAt), database.ScanMillis(&in.DeletedAt),
	}
}

func (r *instanceRow) decode() (plugin.StoredInstance, error) {
	in := r.in
	err := json.Unmarshal([]byte(r.granted), &in.Granted)
	if err == nil {
		err = json.Unmarshal([]byte(r.undecided), &in.Undecided)
	}
	return in, err
}

func scanInstance(row database.Scanner) (plugin.StoredInstance, error) {
	var r instanceRow
	if err := row.Scan(r.targets()...); err != nil {
		return plugin.StoredInstance{}, err
	}
	return r.decode()
}

// FindByID implements plugin.Instances.
func (p *Plugin) FindByID(ctx context.Context, slug, id string) (plugin.Package, plugin.StoredInstance, error) {
	return p.find(ctx, `i.package_slug = $1 AND i.id = $2 AND p.deleted_at_ms IS NULL`, slug, id)
}

// FindByKey implements plugin.Instances.
func (p *Plugin) FindByKey(ctx context.Context, slug, key string) (plugin.Package, plugin.StoredInstance, error) {
	return p.find(ctx, `i.package_slug = $1 AND i.instance_key = $2 AND p.deleted_at_ms IS NULL`, slug, key)
}

// FindUninstalled implements plugin.Instances.
func (p *Plugin) FindUninstalled(
	ctx context.Context, slug, key string,
) (plugin.Package, plugin.StoredInstance, error) {
	return p.find(ctx, `i.package_slug = $1 AND i.instance_key = $2 AND p.deleted_at_ms IS NOT NULL`, slug, key)
}

// FindInstallation implements plugin.Instances.
func (p *Plugin) FindInstallation(ctx context.Context, id string) (plugin.Package, plugin.StoredInstance, error) {
	return p.find(ctx, `i.id = $1 AND p.deleted_at_ms IS NULL`, id)
}

// FindUnpurged implements plugin.Instances.
func (p *Plugin) FindUnpurged(ctx context.Context, id string) (plugin.Package, plugin.StoredInstance, error) {
	return p.findAny(ctx, `i.id = $1`, id)
}

// find returns the instance that is not deleted and meets a condition.
func (p *Plugin) find(
	ctx context.Context, condition string, args ...any,
) (plugin.Package, plugin.StoredInstance, error) {
	return p.findAny(ctx, condition+` AND i.deleted_at_ms IS NULL`, args...)
}

func (p *Plugin) findAny(
	ctx context.Context, condition string, args ...any,
) (plugin.Package, plugin.StoredInstance, error) {
	var (
		pr packageRow
		ir instanceRow
	)
	err := p.Read.QueryRowContext(ctx, `
		SELECT `+packageColumns+`, `+instanceColumns+`
		FROM plugin_instances i
		JOIN plugin_packages p ON p.slug = i.package_slug`+licenseJoin+`
		WHERE `+condition,
		args...).Scan(append(pr.targets(), ir.targets()...)...)
	if err != nil {
		return plugin.Package{}, plugin.StoredInstance{}, p.Wrap(err, "Instance")
	}
	pkg, err := p.decode(pr)
	if err != nil {
		return plugin.Package{}, plugin.StoredInstance{}, err
	}
	in, err := ir.decode()
	return pkg, in, err
}

// LiveInstances implements plugin.Instances. One query takes all ids: each belongs to a
// running process, so there are far fewer than a query may have arguments.
func (p *Plugin) LiveInstances(
	ctx context.Context, ids []string, at time.Time,
) (map[string]plugin.Revision, error) {
	live := make(map[string]plugin.Revision, len(ids))
	if len(ids) == 0 {
		return live, nil
	}
	args := []any{true}
	places := make([]string, len(ids))
	for i, id := range ids {
		args = append(args, id)
		places[i] = "$" + strconv.Itoa(len(args))
	}
	rows, err := p.Read.QueryContext(ctx, `
		SELECT i.id, i.version, p.zip_hash, p.updated_at_ms, p.settings_version, `+pluginLicenseColumns+`
		FROM plugin_instances i
		JOIN plugin_packages p ON p.slug = i.package_slug`+licenseJoin+`
		WHERE i.enabled = $1 AND i.id IN (`+strings.Join(places, ", ")+`)
			AND i.deleted_at_ms IS NULL AND p.deleted_at_ms IS NULL`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	for rows.Next() {
		var (
			id string
			r  plugin.Revision
			l  pluginLicense
		)
		columns := []any{&id, &r.Instance, &r.ZipHash, database.ScanMillis(&r.Updated), &r.Settings}
		if err := rows.Scan(append(columns, l.targets()...)...); err != nil {
			return nil, err
		}
		if !l.LapsedAt(at) {
			live[id] = r
		}
	}
	return live, rows.Err()
}

// KnownInstances implements plugin.Instances.
func (p *Plugin) KnownInstances(ctx context.Context, ids []string) (map[string]bool, error) {
	known := make(map[string]bool, len(ids))
	for some := range slices.Chunk(ids, rowsAtOnce) {
		args, places := make([]any, len(some)), make([]string, len(some))
		for i, id := range some {
			args[i], places[i] = id, "$"+strconv.Itoa(i+1)
		}
		if err := p.addKnown(ctx, known, strings.Join(places, ", "), args); err != nil {
			return nil, err
		}
	}
	return known, nil
}

func (p *Plugin) addKnown(ctx context.Context, known map[string]bool, places string, ids []any) error {
	rows, err := p.Read.QueryContext(ctx, `
		SELECT i.id FROM plugin_instances i
		JOIN plugin_packages p ON p.slug = i.package_slug
		WHERE i.id IN (`+places+`) AND i.deleted_at_ms IS NULL AND p.deleted_at_ms IS NULL`, ids...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		known[id] = true
	}
	return rows.Err()
}

// CountEnabling implements plugin.Instances.
func (p *Plugin) CountEnabling(ctx context.Context, slug string) error {
	_, err := p.Write.ExecContext(ctx, `
		UPDATE plugin_instances SET enabling = enabling + 1
		WHERE package_slug = $1 AND enabled = $2 AND deleted_at_ms IS NULL`, slug, true)
	return err
}

// KeyState implements plugin.Instances.
func (p *Plugin) KeyState(ctx context.Context, slug, key string) (plugin.KeyState, error) {
	var deleted bool
	err := p.Read.QueryRowContext(ctx, `
		SELECT deleted_at_ms IS NOT NULL FROM plugin_instances
		WHERE package_slug = $1 AND instance_key = $2`, slug, key).Scan(&deleted)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return plugin.KeyFree, nil
	case err != nil:
		return plugin.KeyFree, err
	case deleted:
		return plugin.KeyDeleted, nil
	}
	return plugin.KeyTaken, nil
}

// ListInstances implements plugin.Instances.
func (p *Plugin) ListInstances(
	ctx context.Context, slug string, q plugin.InstanceQuery,
) ([]plugin.StoredInstance, int, error) {
	var where database.Where
	where.And(`i.package_slug = $1 AND i.deleted_at_ms IS NULL`, slug)
	if q.Search != "" {
		where.And(`(i.instance_key LIKE $1 ESCAPE '~' OR i.id LIKE $2 ESCAPE '~')`, search(q.Search)[:2]...)
	}
	from := ` FROM plugin_instances i` + where.String()
	var total int
	if err := p.Read.QueryRowContext(ctx, `SELECT count(*)`+from, where.Args()...).Scan(&total); err != nil {
		return nil, 0, err
	}
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, p.Read, scanInstance,
		`SELECT `+instanceColumns+from+instanceOrders.by(q.Sort, "created")+page, args...)
	return list, total, err
}

// CreateInstance implements plugin.Instances.
func (p *Plugin) CreateInstance(ctx context.Context, in plugin.StoredInstance) error {
	granted, undecided, err := rights(in)
	if err != nil {
		return err
	}
	_, err = p.Write.ExecContext(ctx, `
		INSERT INTO plugin_instances (id, package_slug, instance_key, enabled, config_sealed, granted, undecided, version,
			created_at_ms, updated_at_ms, deleted_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		in.ID, in.Slug, in.Key, in.Enabled, in.Sealed, granted, undecided, in.Version,
		database.Millis(in.CreatedAt), database.Millis(in.UpdatedAt), database.Millis(in.DeletedAt))
	return p.Wrap(err, "Instance")
}

// rights returns what an instance may, and what waits, as they are stored.
func rights(in plugin.StoredInstance) (granted, undecided string, err error) {
	if granted, err = jsonList(in.Granted); err == nil {
		undecided, err = jsonList(in.Undecided)
	}
	return granted, undecided, err
}

// UpdateInstance implements plugin.Instances.
func (p *Plugin) UpdateInstance(ctx context.Context, in plugin.StoredInstance) error {
	granted, undecided, err := rights(in)
	if err != nil {
		return err
	}
	return p.Conn.InTx(ctx, func(tx database.Conn) error {
		var version int64
		err := tx.Read.QueryRowContext(ctx, `
			SELECT i.version FROM plugin_instances i
			WHERE i.id = $1 AND i.deleted_at_ms IS NULL`+tx.Lock("i"), in.ID).Scan(&version)
		if err != nil {
			return tx.Wrap(err, "Instance")
		}
		if version != in.Version-1 {
			return errChanged
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE plugin_instances
			SET enabled = $1, config_sealed = $2, granted = $3, undecided = $4, version = $5, updated_at_ms = $6,
				deleted_at_ms = $7
			WHERE id = $8`,
			in.Enabled, in.Sealed, granted, undecided, in.Version, database.Millis(in.UpdatedAt),
			database.Millis(in.DeletedAt), in.ID)
		return err
	})
}
