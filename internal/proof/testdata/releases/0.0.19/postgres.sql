-- {"licenseKey":"STOA-FMR2G-198E1-FZR62-RYN5K-896M6-MGKX3","rows":{"audit_log":12,"backup_jobs":2,"bundle_items":1,"bundles":1,"deliveries":2,"delivery_attempts":2,"delivery_queues":1,"events":20,"idempotency_keys":1,"license_instances":2,"license_renewals":1,"licenses":4,"mail_allowances":1,"order_claims":1,"orders":4,"password_resets":1,"payment_events":1,"plugin_event_use":1,"plugin_failures":1,"plugin_generation":1,"plugin_health":1,"plugin_instances":3,"plugin_packages":2,"plugin_previous_versions":1,"plugin_remains":0,"plugin_secrets":2,"plugin_storage":1,"plugin_storage_use":1,"product_counts":1,"product_packages":1,"products":1,"receipts":4,"reviews":1,"sessions":2,"settings":3,"shop_settings":1,"signing_keys":6,"theme_targets":2,"theme_versions":1,"users":2,"webhooks":1}}
SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.audit_log_refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END;
$$;
CREATE FUNCTION public.products_count() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- Those who write products come one at a time (Catalogue.InTx): two that count
    -- categories in different orders would wait for each other.
    IF TG_OP <> 'INSERT' THEN
        UPDATE product_counts SET products = products - 1 WHERE published = OLD.published AND category = OLD.category;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO product_counts AS c (published, category, products) VALUES (NEW.published, NEW.category, 1)
        ON CONFLICT (published, category) DO UPDATE SET products = c.products + 1;
    END IF;
    RETURN NULL;
END;
$$;
CREATE FUNCTION public.raise_plugin_generation() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('stoa.generation_raised_in', true) IS DISTINCT FROM txid_current()::text THEN
        PERFORM set_config('stoa.generation_raised_in', txid_current()::text, true);
        UPDATE plugin_generation SET number = number + 1;
        PERFORM pg_notify('stoa_plugin_generation', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TABLE public.audit_log (
    seq bigint NOT NULL,
    id text NOT NULL,
    at_ms bigint NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    action text NOT NULL,
    target_type text NOT NULL,
    target_id text NOT NULL,
    address text NOT NULL,
    request_id text NOT NULL,
    details_json text NOT NULL
);
ALTER TABLE public.audit_log ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.backup_jobs (
    kind text NOT NULL,
    leased_until_ms bigint DEFAULT 0 NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    began_at_ms bigint DEFAULT 0 NOT NULL,
    ok_at_ms bigint DEFAULT 0 NOT NULL,
    ok_name text DEFAULT ''::text NOT NULL,
    ok_bytes bigint DEFAULT 0 NOT NULL,
    ok_took_ms bigint DEFAULT 0 NOT NULL,
    failed_at_ms bigint DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    CONSTRAINT backup_jobs_kind_check CHECK ((kind = ANY (ARRAY['backup'::text, 'verify'::text])))
);
CREATE TABLE public.bundle_items (
    bundle_slug text NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    package_id text NOT NULL COLLATE pg_catalog."C",
    owned boolean NOT NULL,
    listed boolean NOT NULL
);
CREATE TABLE public.bundles (
    slug text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    from_market boolean NOT NULL,
    signed_by text NOT NULL COLLATE pg_catalog."C",
    manifest_json text NOT NULL,
    installed_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL
);
CREATE TABLE public.deliveries (
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    queue text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    payload text NOT NULL,
    keeps text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL,
    tries bigint NOT NULL,
    due_ms bigint,
    created_at_ms bigint NOT NULL,
    finished_at_ms bigint
);
ALTER TABLE public.deliveries ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.deliveries_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.delivery_attempts (
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    at_ms bigint NOT NULL,
    duration_us bigint NOT NULL,
    status bigint NOT NULL,
    error text NOT NULL,
    response text NOT NULL
);
CREATE TABLE public.delivery_queues (
    name text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    lease text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    due_ms bigint,
    leased_until_ms bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.events (
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    occurred_at_ms bigint NOT NULL,
    data_json text NOT NULL,
    spread boolean DEFAULT false NOT NULL
);
ALTER TABLE public.events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.idempotency_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL,
    seed text NOT NULL,
    owner text NOT NULL,
    attempts integer NOT NULL,
    lease_until_ms bigint NOT NULL,
    answer_sealed text NOT NULL,
    expires_at_ms bigint NOT NULL
);
CREATE TABLE public.license_instances (
    license_id text NOT NULL COLLATE pg_catalog."C",
    instance_id text NOT NULL COLLATE pg_catalog."C",
    activated_at_ms bigint NOT NULL,
    development boolean DEFAULT false NOT NULL,
    staging_of text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.license_renewals (
    license_id text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL COLLATE pg_catalog."C",
    at_ms bigint NOT NULL
);
CREATE TABLE public.licenses (
    id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    tier_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    key_hash text NOT NULL COLLATE pg_catalog."C",
    key_sealed text NOT NULL,
    type text NOT NULL,
    features text NOT NULL,
    max_instances bigint NOT NULL,
    paid boolean NOT NULL,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    created_at_ms bigint NOT NULL,
    period_months bigint DEFAULT 0 NOT NULL,
    anchor_ms bigint,
    periods bigint DEFAULT 0 NOT NULL,
    instances bigint DEFAULT 0 NOT NULL,
    development_instances bigint DEFAULT 0 NOT NULL,
    churn_ms bigint,
    version bigint DEFAULT 1 NOT NULL,
    key_tail text,
    leeway_ms bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.mail_allowances (
    name text NOT NULL COLLATE pg_catalog."C",
    until_ms bigint NOT NULL
);
CREATE TABLE public.order_claims (
    token_hash text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.orders (
    id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    tier_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    payment_method text NOT NULL,
    billing_info text,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    status text NOT NULL,
    license_id text NOT NULL COLLATE pg_catalog."C",
    created_at_ms bigint NOT NULL,
    billing_period text DEFAULT ''::text NOT NULL,
    provider text DEFAULT ''::text NOT NULL,
    payment_url text DEFAULT ''::text NOT NULL,
    payment_session text DEFAULT ''::text NOT NULL,
    payment_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    payment_invoice text DEFAULT ''::text NOT NULL,
    payment_subscription text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    paid_at_ms bigint,
    refunded_at_ms bigint,
    cancelled_at_ms bigint,
    billing_email_key text COLLATE pg_catalog."C",
    sweep_tries integer DEFAULT 0 NOT NULL,
    sweep_at_ms bigint,
    subscription_ended_at_ms bigint,
    partly_refunded_minor bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.password_resets (
    token_hash text NOT NULL,
    user_id text NOT NULL,
    open boolean NOT NULL,
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.payment_events (
    provider text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    at_ms bigint NOT NULL
);
CREATE TABLE public.plugin_event_use (
    installation_id text NOT NULL COLLATE pg_catalog."C",
    spent_until_ms bigint NOT NULL
);
CREATE TABLE public.plugin_failures (
    installation_id text NOT NULL,
    instance_version bigint NOT NULL,
    zip_hash text NOT NULL,
    failed_at_ms bigint NOT NULL,
    message text NOT NULL,
    file text NOT NULL,
    line bigint NOT NULL
);
CREATE TABLE public.plugin_generation (
    id integer NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT plugin_generation_id_check CHECK ((id = 1))
);
CREATE TABLE public.plugin_health (
    package_slug text NOT NULL COLLATE pg_catalog."C",
    due_ms bigint NOT NULL,
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    healthy boolean,
    since_ms bigint,
    failed_at_ms bigint,
    message text NOT NULL
);
CREATE TABLE public.plugin_instances (
    id text NOT NULL,
    package_slug text NOT NULL,
    instance_key text NOT NULL,
    enabled boolean NOT NULL,
    config_sealed text NOT NULL,
    granted text NOT NULL,
    version bigint NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    deleted_at_ms bigint
);
CREATE TABLE public.plugin_packages (
    id text NOT NULL,
    slug text NOT NULL,
    source text NOT NULL,
    install_path text NOT NULL,
    zip_hash text NOT NULL,
    manifest_json text NOT NULL,
    installed_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    deleted_at_ms bigint,
    settings_json text DEFAULT '{}'::text NOT NULL,
    environment_sealed text DEFAULT ''::text NOT NULL,
    keep_running boolean DEFAULT false NOT NULL,
    settings_version bigint DEFAULT 0 NOT NULL,
    upgrade_id text DEFAULT ''::text NOT NULL,
    signed_by text DEFAULT ''::text NOT NULL,
    theme_extensions boolean DEFAULT true NOT NULL,
    subscribes boolean DEFAULT false NOT NULL,
    external boolean DEFAULT false NOT NULL
);
CREATE TABLE public.plugin_previous_versions (
    package_slug text NOT NULL,
    source text NOT NULL,
    install_path text NOT NULL,
    zip_hash text NOT NULL,
    manifest_json text NOT NULL,
    signed_by text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.plugin_remains (
    package_id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    install_path text NOT NULL COLLATE pg_catalog."C",
    previous_path text NOT NULL COLLATE pg_catalog."C",
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    signed_by text NOT NULL COLLATE pg_catalog."C",
    manifest_json text NOT NULL,
    settings_json text NOT NULL,
    environment_sealed text NOT NULL,
    settings_version bigint NOT NULL,
    installed_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    current_sealed text NOT NULL,
    previous_sealed text NOT NULL,
    previous_until_ms bigint
);
CREATE TABLE public.plugin_secrets (
    package_slug text NOT NULL,
    current_sealed text NOT NULL,
    previous_sealed text NOT NULL,
    previous_until_ms bigint
);
CREATE TABLE public.plugin_storage (
    installation_id text NOT NULL COLLATE pg_catalog."C",
    key bytea NOT NULL,
    content_type text NOT NULL COLLATE pg_catalog."C",
    etag text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    expires_at_ms bigint,
    value bytea NOT NULL
);
CREATE TABLE public.plugin_storage_use (
    installation_id text NOT NULL COLLATE pg_catalog."C",
    keys bigint NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.product_counts (
    published boolean NOT NULL,
    category text NOT NULL COLLATE pg_catalog."C",
    products bigint NOT NULL
);
CREATE TABLE public.product_packages (
    kind text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL,
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    signed_by text NOT NULL,
    size bigint NOT NULL,
    published_at_ms bigint NOT NULL,
    withdrawn_at_ms bigint
);
CREATE TABLE public.products (
    id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    name_sort text NOT NULL COLLATE pg_catalog."C",
    search_text text NOT NULL,
    description text NOT NULL,
    short_description text NOT NULL,
    icon text NOT NULL,
    category text NOT NULL COLLATE pg_catalog."C",
    screenshots text NOT NULL,
    highlights text NOT NULL,
    pricing_type text NOT NULL,
    price_minor bigint NOT NULL,
    price_currency text NOT NULL,
    price_rank bigint NOT NULL,
    rating double precision NOT NULL,
    review_count bigint NOT NULL,
    download_base bigint NOT NULL,
    download_count bigint NOT NULL,
    featured boolean NOT NULL,
    trending boolean NOT NULL,
    published boolean NOT NULL,
    detail text NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    rating_base double precision DEFAULT 0 NOT NULL,
    review_base bigint DEFAULT 0 NOT NULL,
    star_sum bigint DEFAULT 0 NOT NULL,
    star_count bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.receipts (
    order_id text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    attempts bigint NOT NULL,
    lease text NOT NULL,
    due_ms bigint,
    created_at_ms bigint NOT NULL,
    finished_at_ms bigint
);
CREATE TABLE public.reviews (
    id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL,
    rating bigint NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    hidden boolean NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    CONSTRAINT reviews_rating_check CHECK (((rating >= 1) AND (rating <= 5)))
);
CREATE TABLE public.sessions (
    id text NOT NULL,
    user_id text NOT NULL,
    refresh_id text NOT NULL,
    refresh_key_id text NOT NULL,
    refresh_issued_at_ms bigint NOT NULL,
    replaced_json text NOT NULL,
    created_at_ms bigint NOT NULL,
    expires_at_ms bigint NOT NULL
);
CREATE TABLE public.settings (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.shop_settings (
    id integer NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    accent text DEFAULT ''::text NOT NULL,
    support_email text DEFAULT ''::text NOT NULL,
    support_url text DEFAULT ''::text NOT NULL,
    terms_url text DEFAULT ''::text NOT NULL,
    privacy_url text DEFAULT ''::text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    updated_at_ms bigint,
    CONSTRAINT shop_settings_id_check CHECK ((id = 1))
);
CREATE TABLE public.signing_keys (
    id text NOT NULL,
    stage text NOT NULL,
    sealed text NOT NULL,
    created_at_ms bigint NOT NULL,
    stage_since_ms bigint NOT NULL,
    purpose text DEFAULT 'account'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT signing_keys_stage_check CHECK ((stage = ANY (ARRAY['next'::text, 'current'::text, 'previous'::text])))
);
CREATE TABLE public.theme_targets (
    target text NOT NULL COLLATE pg_catalog."C",
    active_slug text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    active_version text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    active_config_sealed text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    previous_slug text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    previous_version text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    previous_config_sealed text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.theme_versions (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    install_path text NOT NULL COLLATE pg_catalog."C",
    zip_hash text NOT NULL COLLATE pg_catalog."C",
    from_market boolean NOT NULL,
    signed_by text NOT NULL COLLATE pg_catalog."C",
    manifest_json text NOT NULL,
    replaced boolean NOT NULL,
    installed_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    deleted_at_ms bigint
);
CREATE TABLE public.users (
    id text NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL COLLATE pg_catalog."C",
    username text NOT NULL,
    username_key text NOT NULL COLLATE pg_catalog."C",
    password_hash text NOT NULL,
    role text NOT NULL,
    avatar text NOT NULL,
    referral_code text NOT NULL,
    active boolean NOT NULL,
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.webhooks (
    id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    events_json text NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text NOT NULL,
    failing_since_ms bigint,
    current_sealed text NOT NULL,
    previous_sealed text NOT NULL,
    previous_until_ms bigint,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL
);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (1, 'q20awq5ik51ou4guhgcuvgka', 1795368568094, 'cli', 'root', '', 'product.create', 'product', 's2udlyqktno7p94san8r75aw', '', '', '{"published":true,"slug":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (2, 'wopxc5ug26ihako0k5tebg25', 1795368568094, 'cli', 'root', '', 'catalog.import', 'catalog', '', '', '', '{"created":1,"unchanged":0,"updated":0}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (3, 'k1lopaeu973n414nwhwl3o01', 1795368568241, 'system', '', '', 'user.create', 'user', 'oulkbmks7ht9aysc4bmcnx6a', '', '', '{"email":"root@example.com","role":"ADMIN"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (4, 'dn70hcp80lnkbi2555zwxbyf', 1795368568569, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'order.refund', 'order', 'y6yeb8t1l8nyvu4uj3rxgsaf', '127.0.0.1', '01a2044e-46d1-719c-963d-e753ec4da604', '{"amount":90,"currency":"EUR","licenseId":"dprzplgje5ac47tyjkrr6vgg","product":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (5, 'amuegfm55apdqexhwukb9sn6', 1795368568608, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'webhook.create', 'webhook', 'bldk2vkhi04x08madbmn60yj', '127.0.0.1', '01a2044e-471f-7e2e-b158-2b14ae278802', '{"enabled":true,"events":["order.*"],"host":"hooks.example.com"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (6, 'jwbrbrwel5bky6nktky7ybc5', 1795368568990, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'plugin.install', 'plugin', 'greeter', '127.0.0.1', '01a2044e-4721-7c96-986c-abc514d3e1e7', '{"installationId":"446c2ac2-aebc-4271-8525-14d26df3c8ff","permissions":["storage.read","storage.write","events.publish"],"runtimeType":"internal-fastify","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"0edf98b7c5c011b50b52ea7782de2ef81d1412dcae7f1725c07db820c30550ae"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (7, 'tp21v79o1foo17m11p49zwf5', 1795368569527, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'plugin.upgrade', 'plugin', 'greeter', '127.0.0.1', '01a2044e-48a4-771d-824d-934b58eaf591', '{"addedPermissions":[],"previousVersion":"1.0.0","signedBy":"","source":"local-zip","version":"1.1.0","zipHash":"62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (8, 'hz1dwpzyw5fn2ml629xbi5s6', 1795368569535, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'instance.create', 'instance', '564afa00-3f25-4902-815b-2473017cacab', '127.0.0.1', '01a2044e-4abd-7766-8fc7-a99d75550551', '{"enabled":true,"grantedPermissions":["storage.read","storage.write","events.publish"],"instanceKey":"second","slug":"greeter"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (9, 'g0j6j1cvwysumy10v1ty8a5t', 1795368569540, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'plugin.update', 'plugin', 'greeter', '127.0.0.1', '01a2044e-4ac1-7a3b-b8fe-f167f1fb1d38', '{"settings":["environment"]}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (10, 'mro8phqfssgfybgqfp5uh6eh', 1795368569553, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'plugin.install', 'plugin', 'hooked', '127.0.0.1', '01a2044e-4ac7-7d77-b224-677a6321cea8', '{"installationId":"1dc37bd7-4f7a-465a-95ce-916f89ba0920","permissions":[],"runtimeType":"external-http","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"8b2c807cf51dc5b0e2e1eff2b1ddabd82be711ff316a2a7578772c635afcc89b"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (11, 'ou6txdahs5sxsr44px6u6cjy', 1795368570159, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'theme.install', 'theme-shop', 'plain', '127.0.0.1', '01a2044e-4ce6-76f8-a05c-ce1f64ec7acd', '{"version":"1.0.0","zipHash":"4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (12, 'ijyhaousdbyqp9o2q052nemg', 1795368570165, 'user', 'oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'theme.activate', 'theme', 'shop', '127.0.0.1', '01a2044e-4d32-71e2-93c8-32d54009d401', '{"previousTheme":"built-in","theme":"plain 1.0.0"}');
INSERT INTO public.backup_jobs VALUES ('backup', 0, '', 0, 0, '', 0, 0, 0, '');
INSERT INTO public.backup_jobs VALUES ('verify', 0, '', 0, 0, '', 0, 0, 0, '');
INSERT INTO public.bundle_items VALUES ('starter', 0, 'plugin', 'greeter', '1.1.0', 'installed', 'p1', false, false);
INSERT INTO public.bundles VALUES ('starter', 'b1', 'r1', 'hash', false, '', '{"slug":"starter","version":"1.0.0"}', 1700000000000, 1700000000000);
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (1, '01a2044e-4acf-71f1-8022-3388b74d8ad9', 'plugins:1dc37bd7-4f7a-465a-95ce-916f89ba0920', 'plugins', 'hook', '1dc37bd7-4f7a-465a-95ce-916f89ba0920', 'hooked', 'onInstall', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'uwit8wdsz9zh87aq339dyszb', 'delivered', 1, 1, NULL, 1795368569551, 1795368569560);
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (2, '01a2044e-4acf-725b-91a3-2901afb746e3', 'plugins:1dc37bd7-4f7a-465a-95ce-916f89ba0920', 'plugins', 'hook', '1dc37bd7-4f7a-465a-95ce-916f89ba0920', 'hooked', 'onEnable', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'uwit8wdsz9zh87aq339dyszb', 'delivered', 1, 1, NULL, 1795368569551, 1795368569563);
INSERT INTO public.delivery_attempts VALUES ('01a2044e-4acf-71f1-8022-3388b74d8ad9', 1, 1795368569558, 1891, 204, '', '');
INSERT INTO public.delivery_attempts VALUES ('01a2044e-4acf-725b-91a3-2901afb746e3', 1, 1795368569560, 2778, 204, '', '');
INSERT INTO public.delivery_queues VALUES ('plugins:1dc37bd7-4f7a-465a-95ce-916f89ba0920', 'plugins', '', NULL, 1795368599566);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (1, '01a2044e-4664-7164-929f-10ba09f5586b', 'user.registered', 1795368568420, '{"userId":"rzcosgq9djn1y0yqq4l35fxh"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (2, '01a2044e-46c5-75d1-898d-97ddb5d7e734', 'order.paid', 1795368568517, '{"userId":"rzcosgq9djn1y0yqq4l35fxh","orderId":"lvq6twxi2f3z39yddtnet7fd","licenseId":"fydw12yeaa0j6zjggp1i3fa7","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (3, '01a2044e-46c5-75de-a4c3-3b0015dedebd', 'license.issued', 1795368568517, '{"userId":"rzcosgq9djn1y0yqq4l35fxh","licenseId":"fydw12yeaa0j6zjggp1i3fa7","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (4, '01a2044e-46ca-72dd-ab2f-210026b1ad1f', 'license.activated', 1795368568521, '{"userId":"rzcosgq9djn1y0yqq4l35fxh","licenseId":"fydw12yeaa0j6zjggp1i3fa7","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (5, '01a2044e-46cc-79d9-8f95-cb5b4dd18a36', 'license.activated', 1795368568523, '{"userId":"rzcosgq9djn1y0yqq4l35fxh","licenseId":"fydw12yeaa0j6zjggp1i3fa7","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (6, '01a2044e-46d0-717c-bc4f-bc3c263d50aa', 'order.paid', 1795368568528, '{"userId":"rzcosgq9djn1y0yqq4l35fxh","orderId":"y6yeb8t1l8nyvu4uj3rxgsaf","licenseId":"dprzplgje5ac47tyjkrr6vgg","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (7, '01a2044e-46d0-7184-9067-b776abec4ea9', 'license.issued', 1795368568528, '{"userId":"rzcosgq9djn1y0yqq4l35fxh","licenseId":"dprzplgje5ac47tyjkrr6vgg","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (8, '01a2044e-46ec-7ce6-840f-eedc352a89ab', 'order.refunded', 1795368568556, '{"userId":"rzcosgq9djn1y0yqq4l35fxh","orderId":"y6yeb8t1l8nyvu4uj3rxgsaf","licenseId":"dprzplgje5ac47tyjkrr6vgg","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (9, '01a2044e-46f8-733d-a867-f852601827cf', 'license.revoked', 1795368568568, '{"userId":"rzcosgq9djn1y0yqq4l35fxh","licenseId":"dprzplgje5ac47tyjkrr6vgg","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (10, '01a2044e-470e-7bd2-8710-2e415bba7ed0', 'order.paid', 1795368568590, '{"orderId":"vr7fehiiucr9v40us33dfhvc","licenseId":"acbcqo04cqumke3bnvozx6ga","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (11, '01a2044e-470e-7be5-bf74-a4ab9b58c505', 'license.issued', 1795368568590, '{"licenseId":"acbcqo04cqumke3bnvozx6ga","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (12, '01a2044e-4717-7138-af70-7d6b3bb91b1b', 'order.paid', 1795368568599, '{"orderId":"esiq7k4kijss2ledwucbi02y","licenseId":"dxlk2dpn6l7gdbq5vir19cu3","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (13, '01a2044e-4717-7140-968b-9493554439c9', 'license.issued', 1795368568599, '{"licenseId":"dxlk2dpn6l7gdbq5vir19cu3","productId":"s2udlyqktno7p94san8r75aw"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (14, '01a2044e-489d-727e-b21a-d656189d439b', 'extension.installed', 1795368568989, '{"kind":"plugin","slug":"greeter"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (15, '01a2044e-489d-728f-b111-15f621d5ec1a', 'instance.enabled', 1795368568989, '{"slug":"greeter","installationId":"446c2ac2-aebc-4271-8525-14d26df3c8ff"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (16, '01a2044e-4ab7-7567-bf16-e29c50a4410b', 'extension.upgraded', 1795368569527, '{"kind":"plugin","slug":"greeter"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (17, '01a2044e-4abf-745c-b460-5a8c52591ef9', 'instance.enabled', 1795368569535, '{"slug":"greeter","installationId":"564afa00-3f25-4902-815b-2473017cacab"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (18, '01a2044e-4acf-71e8-84fc-4f12b47c3d48', 'extension.installed', 1795368569551, '{"kind":"plugin","slug":"hooked"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (19, '01a2044e-4acf-7268-89a3-b71c0e56b566', 'instance.enabled', 1795368569551, '{"slug":"hooked","installationId":"1dc37bd7-4f7a-465a-95ce-916f89ba0920"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (20, '01a2044e-4d2f-762b-82be-1eafbed31bc6', 'extension.installed', 1795368570159, '{"kind":"theme-shop","slug":"plain"}', false);
INSERT INTO public.goose_db_version VALUES (1, 0, true, '2026-11-22 17:29:27.510772');
INSERT INTO public.goose_db_version VALUES (2, 1, true, '2026-11-22 17:29:27.532013');
INSERT INTO public.goose_db_version VALUES (3, 2, true, '2026-11-22 17:29:27.536128');
INSERT INTO public.goose_db_version VALUES (4, 3, true, '2026-11-22 17:29:27.565098');
INSERT INTO public.goose_db_version VALUES (5, 4, true, '2026-11-22 17:29:27.585052');
INSERT INTO public.goose_db_version VALUES (6, 6, true, '2026-11-22 17:29:27.606053');
INSERT INTO public.goose_db_version VALUES (7, 7, true, '2026-11-22 17:29:27.625487');
INSERT INTO public.goose_db_version VALUES (8, 8, true, '2026-11-22 17:29:27.631352');
INSERT INTO public.goose_db_version VALUES (9, 9, true, '2026-11-22 17:29:27.638557');
INSERT INTO public.goose_db_version VALUES (10, 10, true, '2026-11-22 17:29:27.651947');
INSERT INTO public.goose_db_version VALUES (11, 11, true, '2026-11-22 17:29:27.685635');
INSERT INTO public.goose_db_version VALUES (12, 12, true, '2026-11-22 17:29:27.712351');
INSERT INTO public.goose_db_version VALUES (13, 13, true, '2026-11-22 17:29:27.742462');
INSERT INTO public.goose_db_version VALUES (14, 14, true, '2026-11-22 17:29:27.750045');
INSERT INTO public.goose_db_version VALUES (15, 15, true, '2026-11-22 17:29:27.753034');
INSERT INTO public.goose_db_version VALUES (16, 16, true, '2026-11-22 17:29:27.777462');
INSERT INTO public.goose_db_version VALUES (17, 17, true, '2026-11-22 17:29:27.788848');
INSERT INTO public.goose_db_version VALUES (18, 18, true, '2026-11-22 17:29:27.793223');
INSERT INTO public.goose_db_version VALUES (19, 19, true, '2026-11-22 17:29:27.801263');
INSERT INTO public.goose_db_version VALUES (20, 20, true, '2026-11-22 17:29:27.806725');
INSERT INTO public.goose_db_version VALUES (21, 21, true, '2026-11-22 17:29:27.807926');
INSERT INTO public.goose_db_version VALUES (22, 22, true, '2026-11-22 17:29:27.81314');
INSERT INTO public.goose_db_version VALUES (23, 24, true, '2026-11-22 17:29:27.817214');
INSERT INTO public.goose_db_version VALUES (24, 25, true, '2026-11-22 17:29:27.825125');
INSERT INTO public.goose_db_version VALUES (25, 26, true, '2026-11-22 17:29:27.84138');
INSERT INTO public.goose_db_version VALUES (26, 29, true, '2026-11-22 17:29:27.878406');
INSERT INTO public.goose_db_version VALUES (27, 30, true, '2026-11-22 17:29:27.896089');
INSERT INTO public.goose_db_version VALUES (28, 31, true, '2026-11-22 17:29:27.896495');
INSERT INTO public.goose_db_version VALUES (29, 33, true, '2026-11-22 17:29:27.901227');
INSERT INTO public.goose_db_version VALUES (30, 34, true, '2026-11-22 17:29:27.940072');
INSERT INTO public.goose_db_version VALUES (31, 35, true, '2026-11-22 17:29:27.94679');
INSERT INTO public.goose_db_version VALUES (32, 36, true, '2026-11-22 17:29:27.953471');
INSERT INTO public.goose_db_version VALUES (33, 37, true, '2026-11-22 17:29:27.954668');
INSERT INTO public.goose_db_version VALUES (34, 38, true, '2026-11-22 17:29:27.973764');
INSERT INTO public.goose_db_version VALUES (35, 39, true, '2026-11-22 17:29:27.974191');
INSERT INTO public.goose_db_version VALUES (36, 40, true, '2026-11-22 17:29:27.976738');
INSERT INTO public.goose_db_version VALUES (37, 43, true, '2026-11-22 17:29:27.979985');
INSERT INTO public.goose_db_version VALUES (38, 44, true, '2026-11-22 17:29:27.983031');
INSERT INTO public.goose_db_version VALUES (39, 45, true, '2026-11-22 17:29:27.988379');
INSERT INTO public.goose_db_version VALUES (40, 46, true, '2026-11-22 17:29:27.992009');
INSERT INTO public.goose_db_version VALUES (41, 48, true, '2026-11-22 17:29:27.995222');
INSERT INTO public.idempotency_keys VALUES ('a8b11a870d91fa31af57ce601dbfdecbd114f8b61da0a2bc8558194e77ece388', 'c75b5c9a75b7bbb6b9d9dff162302ca913fd48738941e3e266d89a3262b86965', 'esiq7k4kijss2ledwucbi02y', 'qacuv7t3cvfqv2fzexarnaoy', 1, 1795368578592, 's1.lewnYovnkGoXOjTf8mI/L8hz1XSAcW3kQSEEgulZCXzzJF3bpN1Fp9jZpDQLQ2rsCEv4naySgE7krh+eFBWuDJHyU+9TedHIBS9tLgXFnGLML718jVGGt6F1lTmZZfufg5UdGKmw5cH/djsERRrchYGunGqL5B2XylnLgX+eKMGrHXAyEaO+MoxYO2UW6KkvFs1PXJLCJwS0Cbmd8x4B449s+3qJdfAGuD1eTph42ZELxJYb7B3opCk4U5BHQNtXTPeiJXf05tl0hACvkc8H7DW9R7Eqw03INJ83bO5tqza+g+5Y1ppW4P+zyOqrlGL4uFxcPzVx/Wsr+IgYkbQ9yMp3aUDANVcMMA0603O6rLqhOgGvhqRG89SpQLx2vWcyjnjqC4n/JAlnwZN/fWnhqSA+0uuHSXoNNnH+8EBucJGEC0mCl6/5uBiOAiebXYcm1WMfU0czJVTaBo7RyGgRf1pepDTD14lPyECQzGb6/g', 1795454968592);
INSERT INTO public.license_instances VALUES ('fydw12yeaa0j6zjggp1i3fa7', 'shop.example.com', 1795368568521, false, '');
INSERT INTO public.license_instances VALUES ('fydw12yeaa0j6zjggp1i3fa7', 'dev.shop.example.com', 1795368568523, true, 'shop.example.com');
INSERT INTO public.license_renewals VALUES ('acbcqo04cqumke3bnvozx6ga', 'in_1', 1700000000000);
INSERT INTO public.licenses VALUES ('fydw12yeaa0j6zjggp1i3fa7', 's2udlyqktno7p94san8r75aw', 'seats-3', 'rzcosgq9djn1y0yqq4l35fxh', '237b76c83b15030120a632339d18197fa153ae36bf8a5c16e62b25381b2a2fc8', 's1.fYEd2MajvSY0nF5qFxoYEWlzU74EuVBy7Ls1ddGpvBdSnQNePX0RCoUhXT0xzmSwdEfw1Cl0PR+N9EDjwvUmvAN7UFw', 'perpetual', '[]', 3, true, NULL, NULL, 1795368568514, 0, NULL, 0, 1, 1, 1795372888521, 1, 'MGKX3', 0);
INSERT INTO public.licenses VALUES ('dprzplgje5ac47tyjkrr6vgg', 's2udlyqktno7p94san8r75aw', 'many', 'rzcosgq9djn1y0yqq4l35fxh', '101fbf78fd10298decf537e5eb37b7062383c278df3af16121c6d8a69fc3bf03', 's1.Ptf/0jHMIor2H/lYKq4hUtrDk636ZNnTPRP3BOU1Zu5GKXU/7K+ci6Z1pRrgO87iUu9AeHSGjGxX6cB/gODNzvgHH7w', 'perpetual', '[]', 10000, true, NULL, 1795368568554, 1795368568526, 0, NULL, 0, 0, 0, NULL, 2, 'N0WK1', 0);
INSERT INTO public.licenses VALUES ('acbcqo04cqumke3bnvozx6ga', 's2udlyqktno7p94san8r75aw', 'seats-1', 'anonymous', 'a6104f15c5fed0465f38d7c4f2391b316a9250b63fb36e5cbd7d653a005900cc', 's1.j6eExFc1iBo9nStQjCDO/SJcCK+w/bD3NFoTdNJPEpUiKWtYpKt28GvVAj8hhppt0IfPxJmu3MqmvBOKvQtfwxDeADw', 'perpetual', '[]', 1, true, NULL, NULL, 1795368568576, 0, NULL, 0, 0, 0, NULL, 1, 'EPC51', 0);
INSERT INTO public.licenses VALUES ('dxlk2dpn6l7gdbq5vir19cu3', 's2udlyqktno7p94san8r75aw', 'seats-2', 'anonymous', '9285a0e121b0127938f75b46debd5622c606069a6f37a06d08d3ef0b7c1e3511', 's1.PgDczNdBfjEidTHlFKgGgoqHIeOlbNg1stxgcfyC5QbDXk5Qtq06j3xBA2bEKZSRnEVkrkcdBeOL6DGXCMJymj8PwMY', 'perpetual', '[]', 2, true, NULL, NULL, 1795368568596, 0, NULL, 0, 0, 0, NULL, 1, 'AW2G1', 0);
INSERT INTO public.mail_allowances VALUES ('receipt:paid:buyer@example.com', 1795372168530);
INSERT INTO public.order_claims VALUES ('hash', 'oulkbmks7ht9aysc4bmcnx6a', 'owner@example.com', 1700000000000);
INSERT INTO public.orders VALUES ('lvq6twxi2f3z39yddtnet7fd', 's2udlyqktno7p94san8r75aw', 'seats-3', 'rzcosgq9djn1y0yqq4l35fxh', 'card', '{"email":"buyer@example.com"}', 3000, 'EUR', 'paid', 'fydw12yeaa0j6zjggp1i3fa7', 1795368568514, '', 'test', '', '', '', '', '', 1795368568514, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('y6yeb8t1l8nyvu4uj3rxgsaf', 's2udlyqktno7p94san8r75aw', 'many', 'rzcosgq9djn1y0yqq4l35fxh', 'card', '{"email":"buyer@example.com"}', 9000, 'EUR', 'refunded', 'dprzplgje5ac47tyjkrr6vgg', 1795368568526, '', 'test', '', '', '', '', '', 1795368568526, 1795368568554, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('vr7fehiiucr9v40us33dfhvc', 's2udlyqktno7p94san8r75aw', 'seats-1', 'anonymous', 'card', '{"email":"buyer@example.com"}', 1000, 'EUR', 'paid', 'acbcqo04cqumke3bnvozx6ga', 1795368568576, '', 'test', '', '', '', '', '', 1795368568576, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('esiq7k4kijss2ledwucbi02y', 's2udlyqktno7p94san8r75aw', 'seats-2', 'anonymous', 'card', '{"email":"buyer@example.com"}', 2000, 'EUR', 'paid', 'dxlk2dpn6l7gdbq5vir19cu3', 1795368568596, '', 'test', '', '', '', '', '', 1795368568596, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.password_resets VALUES ('5ed69dc3d0c827ef6799ba7f425e0684b2289595457014b47f98620be83f42c3', 'rzcosgq9djn1y0yqq4l35fxh', true, 1795368568608);
INSERT INTO public.payment_events VALUES ('stripe', 'evt_1', 'charge.refunded', 'esiq7k4kijss2ledwucbi02y', 1700000000000);
INSERT INTO public.plugin_event_use VALUES ('1dc37bd7-4f7a-465a-95ce-916f89ba0920', 1700000000000);
INSERT INTO public.plugin_failures VALUES ('1dc37bd7-4f7a-465a-95ce-916f89ba0920', 1, 'hash', 1700000000000, 'out of memory', 'index.js', 1);
INSERT INTO public.plugin_generation VALUES (1, 6);
INSERT INTO public.plugin_health VALUES ('hooked', 1700000000000, '8b2c807cf51dc5b0e2e1eff2b1ddabd82be711ff316a2a7578772c635afcc89b', NULL, NULL, NULL, 'no answer');
INSERT INTO public.plugin_instances VALUES ('446c2ac2-aebc-4271-8525-14d26df3c8ff', 'greeter', 'default', true, '', '["storage.read","storage.write","events.publish"]', 1, 1795368568621, 1795368568621, NULL);
INSERT INTO public.plugin_instances VALUES ('564afa00-3f25-4902-815b-2473017cacab', 'greeter', 'second', true, 's1.GGpqCP8hnApkps//fxBrdpxN/tQVbb3Nda212PS9y+M7JZWi3mIgxWcbrqcdcT/7', '["storage.read","storage.write","events.publish"]', 1, 1795368569534, 1795368569534, NULL);
INSERT INTO public.plugin_instances VALUES ('1dc37bd7-4f7a-465a-95ce-916f89ba0920', 'hooked', 'default', true, '', '[]', 1, 1795368569551, 1795368569551, NULL);
INSERT INTO public.plugin_packages VALUES ('vq0psdvgqp01esc9dkco8uem', 'greeter', 'local-zip', 'plugins/greeter/1.1.0-62b4be94', '62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074', '{
  "entryModule": "index.js",
  "name": "Plugin greeter",
  "permissions": [
    "storage.read",
    "storage.write",
    "events.publish"
  ],
  "runtimeType": "internal-fastify",
  "schemaVersion": 1,
  "slug": "greeter",
  "version": "1.1.0"
}', 1795368568621, 1795368569029, NULL, '{}', 's1.lZJRM3WiWezkdjh3ht3dwWfXevSaAu4Rk+K5GSyZcVyVO/BHSsowSadQ6FwA', false, 1, 'k1ho6jkfbmzwdsvwhatumi1u', '', false, false, false);
INSERT INTO public.plugin_packages VALUES ('uwit8wdsz9zh87aq339dyszb', 'hooked', 'local-zip', 'plugins/hooked/1.0.0-8b2c807c', '8b2c807cf51dc5b0e2e1eff2b1ddabd82be711ff316a2a7578772c635afcc89b', '{
  "externalBaseUrl": "http://127.0.0.1:43585",
  "lifecycle": {
    "onEnable": true,
    "onInstall": true
  },
  "name": "Hooked",
  "runtimeType": "external-http",
  "schemaVersion": 1,
  "slug": "hooked",
  "version": "1.0.0"
}', 1795368569551, 1795368569551, NULL, '{}', '', false, 0, '', '', false, false, true);
INSERT INTO public.plugin_previous_versions VALUES ('greeter', 'local-zip', 'plugins/greeter/1.0.0-0edf98b7', '0edf98b7c5c011b50b52ea7782de2ef81d1412dcae7f1725c07db820c30550ae', '{
  "entryModule": "index.js",
  "name": "Plugin greeter",
  "permissions": [
    "storage.read",
    "storage.write",
    "events.publish"
  ],
  "runtimeType": "internal-fastify",
  "schemaVersion": 1,
  "slug": "greeter",
  "version": "1.0.0"
}', '');
INSERT INTO public.plugin_secrets VALUES ('greeter', 's1.kdi3flVxHGNtCo/Qn2zhW0wL9S80ZKDMS2QB5Gf6C71zeRGaFBSLctDmrG23xxgaZKEWNsjmjWBXGuvAKJq8iP7J/uJl9dM', '', NULL);
INSERT INTO public.plugin_secrets VALUES ('hooked', 's1.KhuEW+jksrOKTDWYNz9Y+dvBkhXVAO5UxenzvtsHltkof/pPcDxh8Xr0phfCOiOhgVaaRUVssnmx4rnp57I+k5rdEx8iz6E', '', NULL);
INSERT INTO public.plugin_storage VALUES ('446c2ac2-aebc-4271-8525-14d26df3c8ff', '\x68656c6c6f', 'text/plain', '"1"', 5, NULL, '\x68656c6c6f');
INSERT INTO public.plugin_storage_use VALUES ('446c2ac2-aebc-4271-8525-14d26df3c8ff', 1, 10);
INSERT INTO public.product_counts VALUES (true, 'apps', 1);
INSERT INTO public.product_packages VALUES ('plugin', 'sold', '1.0.0', 's2udlyqktno7p94san8r75aw', 'packages/plugin/sold/1.0.0.zip', 'hash', 'acme', 1234, 1700000000000, NULL);
INSERT INTO public.products VALUES ('s2udlyqktno7p94san8r75aw', 'app', 'App', 'app', 'app
app
apps
an app.
an app.', 'An app.', 'An app.', 'https://cdn.example.com/app.svg', 'apps', '[]', '[]', 'paid', 1000, 'EUR', 100000, 5, 1, 1000, 1004, false, false, true, '{"fullDescription":"An app.","features":null,"tiers":[{"id":"seats-1","name":"One","description":"","priceMinor":1000,"currency":"EUR","features":null,"maxInstances":1},{"id":"seats-2","name":"Two","description":"","priceMinor":2000,"currency":"EUR","features":null,"maxInstances":2},{"id":"seats-3","name":"Three","description":"","priceMinor":3000,"currency":"EUR","features":null,"maxInstances":3},{"id":"seats-4","name":"Four","description":"","priceMinor":4000,"currency":"EUR","features":null,"maxInstances":4},{"id":"many","name":"Many","description":"","priceMinor":9000,"currency":"EUR","features":null,"maxInstances":10000}],"faq":null}', 1795368568094, 1795368568094, 0, 1, 0, 0, 5, 1);
INSERT INTO public.receipts VALUES ('lvq6twxi2f3z39yddtnet7fd', 'sent', 1, '', NULL, 1795368568516, 1795368568530);
INSERT INTO public.receipts VALUES ('y6yeb8t1l8nyvu4uj3rxgsaf', 'sent', 1, '', NULL, 1795368568527, 1795368568533);
INSERT INTO public.receipts VALUES ('vr7fehiiucr9v40us33dfhvc', 'sent', 1, '', NULL, 1795368568590, 1795368568593);
INSERT INTO public.receipts VALUES ('esiq7k4kijss2ledwucbi02y', 'sent', 1, '', NULL, 1795368568598, 1795368568609);
INSERT INTO public.reviews VALUES ('lkplb3z4bbaronew85pew77l', 's2udlyqktno7p94san8r75aw', 'rzcosgq9djn1y0yqq4l35fxh', 5, 'Good', '', false, 1795368568603, 1795368568603);
INSERT INTO public.sessions VALUES ('g2k2jwnl2l642v9mx8bn1fvx', 'rzcosgq9djn1y0yqq4l35fxh', 'gkmrit66kffl96bb4y3kob98', 'Y3pnSaLcSVoh0lSDZ6quVwNykdeE42VI7IkMH0zcAiA', 1795368568000, '[]', 1795368568416, 1797960568000);
INSERT INTO public.sessions VALUES ('g1mbfaliz7vd09az1qs0g7vu', 'oulkbmks7ht9aysc4bmcnx6a', 'upgw7zojyi0yw6t51905btca', 'Y3pnSaLcSVoh0lSDZ6quVwNykdeE42VI7IkMH0zcAiA', 1795368568000, '[]', 1795368568508, 1797960568000);
INSERT INTO public.settings VALUES ('migrated_by', '0.1.0-dev');
INSERT INTO public.settings VALUES ('master_key_check', 's1.eT3QW8/HB+8pnFco5wAJTL400rxcWbl3f1nLa9/3eps3qipEvavXaDEYIn8');
INSERT INTO public.settings VALUES ('platform_id', 'fcfb1835-e523-4445-9905-1e9bc2eff691');
INSERT INTO public.shop_settings VALUES (1, '', '', '', '', '', '', 1, NULL);
INSERT INTO public.signing_keys VALUES ('sPNDoDt4KmxXRgSqxISY53KhR7wPziIRJXMtSIiKmNc', 'current', 's1.bsFa+EAtcQlunOgXZczXSe/y7J2E0r8VIdtMrRs4WFAdXFSV2Hcwy6AASicQNd4z4trcdwEQTqZSPZLk', 1795368568048, 1795368568048, 'license');
INSERT INTO public.signing_keys VALUES ('MYgqBTBjgYIa0rgZf8Sngut9oFzsFF_M_E1Ikh172gk', 'next', 's1.BxQF408IHmjlWEoLpxZIBjfHA8JKLBfiMKrrOBzFC+nDblGnGvA006Q2FV2ZfexqTrrHvIWkYztezm9D', 1795368568048, 1795368568048, 'license');
INSERT INTO public.signing_keys VALUES ('Y3pnSaLcSVoh0lSDZ6quVwNykdeE42VI7IkMH0zcAiA', 'current', 's1.28JexTEQn8Tq164Ok/zinGWmFHEC8mdJVvM/eV1I+Y9V9drDhVGAhheAqQvA7/7YAty5UKQKbg8CsO3/', 1795368568072, 1795368568072, 'account');
INSERT INTO public.signing_keys VALUES ('Px-D72c_V80jib1Ekg_xeOH-lydPpzKFiRWoHtBX0v4', 'next', 's1.Ke1bNUAc5AmbKGAG16NpqSWr6vcYgNJSth5k9KesQ7RkmhhYhbyYCHkcK6y2fwvZfQ+flpfJtO0qjHzi', 1795368568072, 1795368568072, 'account');
INSERT INTO public.signing_keys VALUES ('3Gkr9QerS8XrrDYNhWMHObrS4zTqotSR6cuwp5F4RYA', 'current', 's1.z6u3i0i7vM6M2Jdvgv4/atx1pVAoBOcv4xEljWAsZ+RdmXT93H4fYOvZBdXv0ZXSquuOutSJoPzPFqfh', 1795368568085, 1795368568085, 'plugin');
INSERT INTO public.signing_keys VALUES ('IG1yEKrAKn69g3qrJd1jNerCsS2AAH69oPDkDjZrGEo', 'next', 's1.RaIFLXIA9N4kEnSJBBqq8EBxvkyFrRDqCBJp4Cl589bdnvWdtIlEe4vjn6aQT7v1ujVnhQdAOwHOIP72', 1795368568085, 1795368568085, 'plugin');
INSERT INTO public.theme_targets VALUES ('admin', '', '', '', '', '', '');
INSERT INTO public.theme_targets VALUES ('shop', 'plain', '1.0.0', '', '', '', '');
INSERT INTO public.theme_versions VALUES ('driv3i9lnny13oxjs1a1uxqg', 'theme-shop', 'shop', 'plain', '1.0.0', 'driv3i9lnny13oxjs1a1uxqg', 'theme-shop/plain/1.0.0-4484b33f', '4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35', false, '', '{
  "entry": "theme.css",
  "name": "Theme plain",
  "schemaVersion": 1,
  "slug": "plain",
  "version": "1.0.0"
}', false, 1795368570158, 1795368570158, NULL);
INSERT INTO public.users VALUES ('oulkbmks7ht9aysc4bmcnx6a', 'root@example.com', 'root@example.com', 'root', 'root', '$argon2id$v=19$m=19456,t=2,p=1$j6RsTy+tBuFdCuohkZ5ziQ$VVz+0v1Gtgme8OVjGAcXhn0lR/D3k8R3We2d5+k2Dow', 'ADMIN', '', '', true, 1795368568240);
INSERT INTO public.users VALUES ('rzcosgq9djn1y0yqq4l35fxh', 'owner@example.com', 'owner@example.com', 'owner', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$28PjwjQwd/yE2JjS0Q6CEA$wDbUtNwYgK6Dmz33JLshoPIdCxnC/1SkeGswxEX6fIo', 'USER', '', '', true, 1795368568416);
INSERT INTO public.webhooks VALUES ('bldk2vkhi04x08madbmn60yj', 'https://hooks.example.com/stoa', '["order.*"]', true, '', NULL, 's1.3/wgNQ8VCvQ+lBczbV6BdYO8H/kl5waq97bw5G238i/Y2smcMXvGEZwgxeA0P4XxpNRFLjRehuJ+drOr', '', NULL, 1795368568608, 1795368568608);
SELECT pg_catalog.setval('public.audit_log_seq_seq', 12, true);
SELECT pg_catalog.setval('public.deliveries_seq_seq', 2, true);
SELECT pg_catalog.setval('public.events_seq_seq', 20, true);
SELECT pg_catalog.setval('public.goose_db_version_id_seq', 41, true);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_id_key UNIQUE (id);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.backup_jobs
    ADD CONSTRAINT backup_jobs_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY public.bundle_items
    ADD CONSTRAINT bundle_items_pkey PRIMARY KEY (bundle_slug, "position");
ALTER TABLE ONLY public.bundles
    ADD CONSTRAINT bundles_pkey PRIMARY KEY (slug);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_id_key UNIQUE (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, number);
ALTER TABLE ONLY public.delivery_queues
    ADD CONSTRAINT delivery_queues_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_id_key UNIQUE (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.license_instances
    ADD CONSTRAINT license_instances_pkey PRIMARY KEY (license_id, instance_id);
ALTER TABLE ONLY public.license_renewals
    ADD CONSTRAINT license_renewals_pkey PRIMARY KEY (license_id, reference);
ALTER TABLE ONLY public.licenses
    ADD CONSTRAINT licenses_key_hash_key UNIQUE (key_hash);
ALTER TABLE ONLY public.licenses
    ADD CONSTRAINT licenses_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mail_allowances
    ADD CONSTRAINT mail_allowances_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.order_claims
    ADD CONSTRAINT order_claims_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_license_id_key UNIQUE (license_id);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.payment_events
    ADD CONSTRAINT payment_events_pkey PRIMARY KEY (provider, id);
ALTER TABLE ONLY public.plugin_event_use
    ADD CONSTRAINT plugin_event_use_pkey PRIMARY KEY (installation_id);
ALTER TABLE ONLY public.plugin_failures
    ADD CONSTRAINT plugin_failures_pkey PRIMARY KEY (installation_id);
ALTER TABLE ONLY public.plugin_generation
    ADD CONSTRAINT plugin_generation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.plugin_health
    ADD CONSTRAINT plugin_health_pkey PRIMARY KEY (package_slug);
ALTER TABLE ONLY public.plugin_instances
    ADD CONSTRAINT plugin_instances_package_slug_instance_key_key UNIQUE (package_slug, instance_key);
ALTER TABLE ONLY public.plugin_instances
    ADD CONSTRAINT plugin_instances_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.plugin_packages
    ADD CONSTRAINT plugin_packages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.plugin_packages
    ADD CONSTRAINT plugin_packages_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.plugin_previous_versions
    ADD CONSTRAINT plugin_previous_versions_pkey PRIMARY KEY (package_slug);
ALTER TABLE ONLY public.plugin_remains
    ADD CONSTRAINT plugin_remains_pkey PRIMARY KEY (package_id);
ALTER TABLE ONLY public.plugin_secrets
    ADD CONSTRAINT plugin_secrets_pkey PRIMARY KEY (package_slug);
ALTER TABLE ONLY public.plugin_storage
    ADD CONSTRAINT plugin_storage_pkey PRIMARY KEY (installation_id, key);
ALTER TABLE ONLY public.plugin_storage_use
    ADD CONSTRAINT plugin_storage_use_pkey PRIMARY KEY (installation_id);
ALTER TABLE ONLY public.product_counts
    ADD CONSTRAINT product_counts_pkey PRIMARY KEY (published, category);
ALTER TABLE ONLY public.product_packages
    ADD CONSTRAINT product_packages_pkey PRIMARY KEY (kind, slug, version);
ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.receipts
    ADD CONSTRAINT receipts_pkey PRIMARY KEY (order_id);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_product_id_user_id_key UNIQUE (product_id, user_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.shop_settings
    ADD CONSTRAINT shop_settings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.theme_targets
    ADD CONSTRAINT theme_targets_pkey PRIMARY KEY (target);
ALTER TABLE ONLY public.theme_versions
    ADD CONSTRAINT theme_versions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.theme_versions
    ADD CONSTRAINT theme_versions_target_slug_version_key UNIQUE (target, slug, version);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key_key UNIQUE (email_key);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_username_key_key UNIQUE (username_key);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor_id, at_ms);
CREATE INDEX audit_log_at ON public.audit_log USING btree (at_ms, seq);
CREATE INDEX audit_log_target ON public.audit_log USING btree (target_id, at_ms);
CREATE INDEX bundle_items_package ON public.bundle_items USING btree (package_id, kind);
CREATE INDEX bundles_zip_hash ON public.bundles USING btree (zip_hash);
CREATE INDEX deliveries_age ON public.deliveries USING btree (finished_at_ms) WHERE (finished_at_ms IS NOT NULL);
CREATE INDEX deliveries_dead ON public.deliveries USING btree (lane, owner, target, created_at_ms, state) WHERE (state = 'dead'::text);
CREATE INDEX deliveries_due ON public.deliveries USING btree (queue, due_ms) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_event ON public.deliveries USING btree (event_id, target) WHERE (event_id <> ''::text);
CREATE INDEX deliveries_keeps ON public.deliveries USING btree (keeps) WHERE ((state = 'waiting'::text) AND (keeps <> ''::text));
CREATE INDEX deliveries_listed ON public.deliveries USING btree (lane, state, seq);
CREATE INDEX deliveries_owner ON public.deliveries USING btree (owner, seq);
CREATE INDEX deliveries_target ON public.deliveries USING btree (target, seq);
CREATE INDEX deliveries_tried ON public.deliveries USING btree (lane, owner, created_at_ms) WHERE ((state = 'waiting'::text) AND (attempts > 0));
CREATE INDEX deliveries_trouble ON public.deliveries USING btree (target, seq) WHERE ((kind = 'hook'::text) AND (state <> 'delivered'::text));
CREATE INDEX deliveries_waiting ON public.deliveries USING btree (queue, seq) WHERE (state = 'waiting'::text);
CREATE INDEX delivery_queues_due ON public.delivery_queues USING btree (lane, due_ms) WHERE (due_ms IS NOT NULL);
CREATE INDEX events_age ON public.events USING btree (occurred_at_ms);
CREATE INDEX events_fresh ON public.events USING btree (seq) WHERE (NOT spread);
CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at_ms);
CREATE INDEX license_instances_activated ON public.license_instances USING btree (activated_at_ms, development) WHERE (NOT development);
CREATE INDEX license_instances_staging ON public.license_instances USING btree (license_id, staging_of) WHERE (staging_of <> ''::text);
CREATE INDEX licenses_created ON public.licenses USING btree (created_at_ms DESC, id);
CREATE INDEX licenses_key_tail ON public.licenses USING btree (key_tail);
CREATE INDEX licenses_product ON public.licenses USING btree (product_id, created_at_ms DESC, id);
CREATE INDEX licenses_user ON public.licenses USING btree (user_id, created_at_ms DESC, id);
CREATE INDEX mail_allowances_until ON public.mail_allowances USING btree (until_ms);
CREATE INDEX order_claims_age ON public.order_claims USING btree (created_at_ms);
CREATE INDEX order_claims_user ON public.order_claims USING btree (user_id);
CREATE INDEX orders_billing_email ON public.orders USING btree (billing_email_key) WHERE (billing_email_key IS NOT NULL);
CREATE INDEX orders_created ON public.orders USING btree (created_at_ms DESC, id);
CREATE INDEX orders_end_due ON public.orders USING btree (id) WHERE ((payment_subscription <> ''::text) AND (subscription_ended_at_ms IS NULL) AND ((cancelled_at_ms IS NOT NULL) OR (refunded_at_ms IS NOT NULL)));
CREATE INDEX orders_paid ON public.orders USING btree (paid_at_ms, currency, amount_minor, cancelled_at_ms) WHERE (cancelled_at_ms IS NULL);
CREATE INDEX orders_payment ON public.orders USING btree (payment_id) WHERE (payment_id <> ''::text);
CREATE INDEX orders_product ON public.orders USING btree (product_id, created_at_ms DESC, id);
CREATE INDEX orders_refund_due ON public.orders USING btree (id) WHERE ((cancelled_at_ms IS NOT NULL) AND (paid_at_ms IS NOT NULL) AND (refunded_at_ms IS NULL));
CREATE INDEX orders_status ON public.orders USING btree (status, created_at_ms DESC, id);
CREATE INDEX orders_subscription ON public.orders USING btree (payment_subscription) WHERE (payment_subscription <> ''::text);
CREATE INDEX orders_unclaimed ON public.orders USING btree (billing_email_key) WHERE (user_id = 'anonymous'::text);
CREATE INDEX orders_user ON public.orders USING btree (user_id, created_at_ms DESC, id);
CREATE INDEX password_resets_age ON public.password_resets USING btree (created_at_ms);
CREATE INDEX password_resets_user ON public.password_resets USING btree (user_id, created_at_ms);
CREATE INDEX plugin_failures_at ON public.plugin_failures USING btree (failed_at_ms);
CREATE INDEX plugin_instances_listed ON public.plugin_instances USING btree (package_slug, created_at_ms, instance_key) WHERE (deleted_at_ms IS NULL);
CREATE INDEX plugin_packages_zip_hash ON public.plugin_packages USING btree (zip_hash);
CREATE INDEX plugin_storage_expired ON public.plugin_storage USING btree (installation_id, expires_at_ms) WHERE (expires_at_ms IS NOT NULL);
CREATE INDEX plugin_storage_expiry ON public.plugin_storage USING btree (expires_at_ms, installation_id) WHERE (expires_at_ms IS NOT NULL);
CREATE INDEX product_packages_product ON public.product_packages USING btree (product_id);
CREATE INDEX products_category ON public.products USING btree (published, category, featured DESC, "position", download_count DESC, id);
CREATE INDEX products_downloads ON public.products USING btree (published, download_count DESC, id);
CREATE INDEX products_featured ON public.products USING btree (published, featured DESC, "position", download_count DESC, id);
CREATE INDEX products_name ON public.products USING btree (published, name_sort, id);
CREATE INDEX products_newest ON public.products USING btree (published, created_at_ms DESC, id);
CREATE INDEX products_price ON public.products USING btree (published, price_rank, id);
CREATE INDEX products_rating ON public.products USING btree (published, rating DESC, review_count DESC, id);
CREATE INDEX products_trending ON public.products USING btree (published, trending, featured DESC, "position", download_count DESC, id);
CREATE INDEX receipts_due ON public.receipts USING btree (due_ms) WHERE (due_ms IS NOT NULL);
CREATE INDEX receipts_failed ON public.receipts USING btree (finished_at_ms) WHERE (state = 'failed'::text);
CREATE INDEX receipts_tried ON public.receipts USING btree (created_at_ms) WHERE ((state = 'waiting'::text) AND (attempts > 0));
CREATE INDEX reviews_newest ON public.reviews USING btree (created_at_ms DESC, id);
CREATE INDEX reviews_product ON public.reviews USING btree (product_id, hidden, created_at_ms DESC, id);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id, expires_at_ms);
CREATE UNIQUE INDEX signing_keys_one ON public.signing_keys USING btree (purpose, stage) WHERE (stage = ANY (ARRAY['next'::text, 'current'::text]));
CREATE INDEX theme_versions_zip_hash ON public.theme_versions USING btree (zip_hash);
CREATE INDEX users_admin ON public.users USING btree (id) WHERE (role = 'ADMIN'::text);
CREATE INDEX users_created ON public.users USING btree (created_at_ms, id);
CREATE TRIGGER audit_log_no_change BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.audit_log_refuse();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.audit_log_refuse();
CREATE CONSTRAINT TRIGGER plugin_instances_changed AFTER INSERT OR DELETE OR UPDATE ON public.plugin_instances DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.raise_plugin_generation();
CREATE CONSTRAINT TRIGGER plugin_packages_changed AFTER INSERT OR DELETE OR UPDATE ON public.plugin_packages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.raise_plugin_generation();
CREATE CONSTRAINT TRIGGER plugin_secrets_changed AFTER INSERT OR DELETE OR UPDATE ON public.plugin_secrets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.raise_plugin_generation();
CREATE TRIGGER products_count_change AFTER INSERT OR DELETE ON public.products FOR EACH ROW EXECUTE FUNCTION public.products_count();
CREATE TRIGGER products_count_update AFTER UPDATE OF published, category ON public.products FOR EACH ROW WHEN (((old.published <> new.published) OR (old.category <> new.category))) EXECUTE FUNCTION public.products_count();
ALTER TABLE ONLY public.bundle_items
    ADD CONSTRAINT bundle_items_bundle_slug_fkey FOREIGN KEY (bundle_slug) REFERENCES public.bundles(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.deliveries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.license_instances
    ADD CONSTRAINT license_instances_license_id_fkey FOREIGN KEY (license_id) REFERENCES public.licenses(id);
ALTER TABLE ONLY public.license_renewals
    ADD CONSTRAINT license_renewals_license_id_fkey FOREIGN KEY (license_id) REFERENCES public.licenses(id);
ALTER TABLE ONLY public.licenses
    ADD CONSTRAINT licenses_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_license_id_fkey FOREIGN KEY (license_id) REFERENCES public.licenses(id);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id);
ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.payment_events
    ADD CONSTRAINT payment_events_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.orders(id);
ALTER TABLE ONLY public.plugin_event_use
    ADD CONSTRAINT plugin_event_use_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_failures
    ADD CONSTRAINT plugin_failures_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_health
    ADD CONSTRAINT plugin_health_package_slug_fkey FOREIGN KEY (package_slug) REFERENCES public.plugin_packages(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_instances
    ADD CONSTRAINT plugin_instances_package_slug_fkey FOREIGN KEY (package_slug) REFERENCES public.plugin_packages(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_previous_versions
    ADD CONSTRAINT plugin_previous_versions_package_slug_fkey FOREIGN KEY (package_slug) REFERENCES public.plugin_packages(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_secrets
    ADD CONSTRAINT plugin_secrets_package_slug_fkey FOREIGN KEY (package_slug) REFERENCES public.plugin_packages(slug) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_storage
    ADD CONSTRAINT plugin_storage_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.plugin_storage_use
    ADD CONSTRAINT plugin_storage_use_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.product_packages
    ADD CONSTRAINT product_packages_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.receipts
    ADD CONSTRAINT receipts_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.orders(id);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.products(id);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT reviews_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
