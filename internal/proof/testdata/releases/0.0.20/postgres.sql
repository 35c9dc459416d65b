-- {"licenseKey":"STOA-KJFNN-Q5KC4-JZ4CC-3J131-JC2AQ-YT4HS","rows":{"audit_log":12,"audit_streams":1,"backup_jobs":2,"bundle_items":1,"bundles":1,"deliveries":2,"delivery_attempts":2,"delivery_queues":1,"duties":1,"events":20,"idempotency_keys":1,"license_instances":2,"license_renewals":1,"licenses":4,"mail_allowances":1,"master_key_holders":0,"order_claims":1,"order_links":2,"orders":4,"password_resets":1,"payment_events":1,"plugin_event_use":1,"plugin_failures":1,"plugin_generation":1,"plugin_health":1,"plugin_instances":3,"plugin_packages":2,"plugin_previous_versions":1,"plugin_remains":1,"plugin_secrets":2,"plugin_storage":1,"plugin_storage_use":1,"product_counts":1,"product_packages":1,"products":1,"receipts":4,"reviews":1,"sessions":2,"settings":4,"shop_settings":1,"signing_keys":6,"theme_targets":2,"theme_versions":1,"users":2,"webhooks":1}}
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
CREATE TABLE public.audit_streams (
    name text NOT NULL COLLATE pg_catalog."C",
    sent_seq bigint NOT NULL,
    lease text NOT NULL COLLATE pg_catalog."C",
    lease_until_ms bigint NOT NULL,
    failures bigint NOT NULL,
    error text NOT NULL
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
    finished_at_ms bigint,
    cause text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
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
CREATE TABLE public.duties (
    name text NOT NULL,
    holder text NOT NULL,
    until_ms bigint NOT NULL
);
CREATE TABLE public.events (
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    occurred_at_ms bigint NOT NULL,
    data_json text NOT NULL,
    spread boolean DEFAULT false NOT NULL,
    cause text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
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
CREATE TABLE public.master_key_holders (
    id text NOT NULL,
    name text NOT NULL,
    keys text NOT NULL,
    seen_at_ms bigint NOT NULL
);
CREATE TABLE public.order_claims (
    token_hash text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    created_at_ms bigint NOT NULL
);
CREATE TABLE public.order_links (
    token_hash text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
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
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (1, 'g13x3kfvit4bmwbil1a50kl3', 1795390657953, 'cli', 'root', '', 'product.create', 'product', 'h4wn53bawf1lm3nvvldmp90q', '', '', '{"published":true,"slug":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (2, 'j29dw6txlgrue4t6tcakfr8r', 1795390657953, 'cli', 'root', '', 'catalog.import', 'catalog', '', '', '', '{"created":1,"unchanged":0,"updated":0}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (3, 'xyy5ke3gy1aqazy0e1n1z0u3', 1795390658064, 'system', '', '', 'user.create', 'user', 'hcmvzbl6a8kv8601074sc5a5', '', '', '{"email":"root@example.com","role":"ADMIN"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (4, 'lezxln1x7fsbs50ie4m8of12', 1795390658247, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'order.refund', 'order', 'f3t77cx73yowt4q43eqhfkfw', '127.0.0.1', '01a2059f-56c1-7235-a452-7d7d725416ba', '{"amount":90,"currency":"EUR","licenseId":"viaxoiabdfeiodqajnerit8k","product":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (5, 'f9s6th0ypd9u0gcjjhwp7o5t', 1795390658272, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'webhook.create', 'webhook', 'jm6zavhn12u3s4ffycauq1ie', '127.0.0.1', '01a2059f-56df-7b96-8ac7-9423054f0215', '{"enabled":true,"events":["order.*"],"host":"hooks.example.com"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (6, 'lunnblprqpr3siv4pk1ggd9t', 1795390658429, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'plugin.install', 'plugin', 'greeter', '127.0.0.1', '01a2059f-56e2-74bf-8f46-17d62aac6cf6', '{"installationId":"2ccf709d-b3d0-437c-859e-51d8adbb8ee0","permissions":["storage.read","storage.write","events.publish"],"runtimeType":"internal-fastify","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"0edf98b7c5c011b50b52ea7782de2ef81d1412dcae7f1725c07db820c30550ae"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (7, 'hgo3esi9crvms6t96iay7i4t', 1795390658588, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'plugin.upgrade', 'plugin', 'greeter', '127.0.0.1', '01a2059f-5784-72e0-8ef3-60182389687e', '{"addedPermissions":[],"previousVersion":"1.0.0","signedBy":"","source":"local-zip","version":"1.1.0","zipHash":"62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (8, 'ge3zyrp7ytuoflqbojy959rz', 1795390658597, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'instance.create', 'instance', '19a09642-5f63-4143-9831-299a8240b5e4', '127.0.0.1', '01a2059f-5823-7178-a9d8-7a27d84edc5a', '{"enabled":true,"grantedPermissions":["storage.read","storage.write","events.publish"],"instanceKey":"second","slug":"greeter"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (9, 'vnhia4tcrtmjwhswnxx4jmap', 1795390658601, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'plugin.update', 'plugin', 'greeter', '127.0.0.1', '01a2059f-5827-7528-a258-9b7771330b96', '{"settings":["environment"]}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (10, 't2lrmpv7hmwyswqfm2a9r9vp', 1795390658611, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'plugin.install', 'plugin', 'hooked', '127.0.0.1', '01a2059f-582d-75f4-8350-97a31ba5fcb6', '{"installationId":"0e16724c-0406-408e-902d-d597f7aaa1ed","permissions":[],"runtimeType":"external-http","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"6ec2dfc11bdfea6ddc065eb92b46fb2df0b6f76da2a5175013d15ae92f56fd43"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (11, 'q2u27d0uwxn70dl1o4uy00uj', 1795390658764, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'theme.install', 'theme-shop', 'plain', '127.0.0.1', '01a2059f-58c5-724a-99d1-c7f02070f20a', '{"version":"1.0.0","zipHash":"4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (12, 'zxziyiib3xno3txnqvp1me9d', 1795390658769, 'user', 'hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'theme.activate', 'theme', 'shop', '127.0.0.1', '01a2059f-58cd-79b5-95b4-50f4f904bd8b', '{"previousTheme":"built-in","theme":"plain 1.0.0"}');
INSERT INTO public.audit_streams VALUES ('audit.jsonl', 1, 'a process', 1700000000000, 1, 'no answer');
INSERT INTO public.backup_jobs VALUES ('backup', 0, '', 0, 0, '', 0, 0, 0, '');
INSERT INTO public.backup_jobs VALUES ('verify', 0, '', 0, 0, '', 0, 0, 0, '');
INSERT INTO public.bundle_items VALUES ('starter', 0, 'plugin', 'greeter', '1.1.0', 'installed', 'p1', false, false);
INSERT INTO public.bundles VALUES ('starter', 'b1', 'r1', 'hash', false, '', '{"slug":"starter","version":"1.0.0"}', 1700000000000, 1700000000000);
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (1, '01a2059f-5830-7f33-bc06-e726dc5b5fec', 'plugins:0e16724c-0406-408e-902d-d597f7aaa1ed', 'plugins', 'hook', '0e16724c-0406-408e-902d-d597f7aaa1ed', 'hooked', 'onInstall', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'rjq5ul0p67o7solc65slsnc9', 'delivered', 1, 1, NULL, 1795390658608, 1795390658618, '');
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (2, '01a2059f-5831-7066-9bc9-fd01ffb7b44d', 'plugins:0e16724c-0406-408e-902d-d597f7aaa1ed', 'plugins', 'hook', '0e16724c-0406-408e-902d-d597f7aaa1ed', 'hooked', 'onEnable', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'rjq5ul0p67o7solc65slsnc9', 'delivered', 1, 1, NULL, 1795390658609, 1795390658619, '');
INSERT INTO public.delivery_attempts VALUES ('01a2059f-5830-7f33-bc06-e726dc5b5fec', 1, 1795390658616, 2587, 204, '', '');
INSERT INTO public.delivery_attempts VALUES ('01a2059f-5831-7066-9bc9-fd01ffb7b44d', 1, 1795390658618, 700, 204, '', '');
INSERT INTO public.delivery_queues VALUES ('plugins:0e16724c-0406-408e-902d-d597f7aaa1ed', 'plugins', '', NULL, 1795390688625);
INSERT INTO public.duties VALUES ('kept plugins', 'a process', 1700000000000);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (1, '01a2059f-567d-73ab-99b0-148cc4c274f0', 'user.registered', 1795390658173, '{"userId":"h0bf7ondntelulziw9hkvfcc"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (2, '01a2059f-56ae-7534-b60a-75e1c01839ba', 'order.paid', 1795390658222, '{"userId":"h0bf7ondntelulziw9hkvfcc","orderId":"wbq096g2lmhijyqgyagbsx2o","licenseId":"yrp5ph63jmejaipnkwhgz57s","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (3, '01a2059f-56ae-7540-b81b-ea0311d95ffe', 'license.issued', 1795390658222, '{"userId":"h0bf7ondntelulziw9hkvfcc","licenseId":"yrp5ph63jmejaipnkwhgz57s","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (4, '01a2059f-56b5-77bc-a8f8-a24face1bb47', 'license.activated', 1795390658227, '{"userId":"h0bf7ondntelulziw9hkvfcc","licenseId":"yrp5ph63jmejaipnkwhgz57s","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (5, '01a2059f-56ba-701f-8f3e-f334d3e396d5', 'license.activated', 1795390658232, '{"userId":"h0bf7ondntelulziw9hkvfcc","licenseId":"yrp5ph63jmejaipnkwhgz57s","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (6, '01a2059f-56be-7e6c-8feb-44e8c318a6a1', 'order.paid', 1795390658238, '{"userId":"h0bf7ondntelulziw9hkvfcc","orderId":"f3t77cx73yowt4q43eqhfkfw","licenseId":"viaxoiabdfeiodqajnerit8k","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (7, '01a2059f-56be-7e76-a775-6978344dedad', 'license.issued', 1795390658238, '{"userId":"h0bf7ondntelulziw9hkvfcc","licenseId":"viaxoiabdfeiodqajnerit8k","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (8, '01a2059f-56c7-735a-83ef-8e8c99d9e5ee', 'order.refunded', 1795390658247, '{"userId":"h0bf7ondntelulziw9hkvfcc","orderId":"f3t77cx73yowt4q43eqhfkfw","licenseId":"viaxoiabdfeiodqajnerit8k","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (9, '01a2059f-56c7-7b48-910f-f55f5c551480', 'license.revoked', 1795390658247, '{"userId":"h0bf7ondntelulziw9hkvfcc","licenseId":"viaxoiabdfeiodqajnerit8k","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (10, '01a2059f-56ce-7324-8a91-78ef787cebee', 'order.paid', 1795390658254, '{"orderId":"r0i9w11mrg2zy7iqdn12aq8w","licenseId":"z4qjdk62j41ijacyiuuf2ixw","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (11, '01a2059f-56ce-732e-9c1f-4899ebd45d07', 'license.issued', 1795390658254, '{"licenseId":"z4qjdk62j41ijacyiuuf2ixw","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (12, '01a2059f-56d2-746c-8a24-0dc5983c3a72', 'order.paid', 1795390658258, '{"orderId":"b0w1i5dei5ckeyfj41ttt6wd","licenseId":"whdl73g8b6t8c5nk5nvulueq","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (13, '01a2059f-56d2-7474-9f90-beaac92f541f', 'license.issued', 1795390658258, '{"licenseId":"whdl73g8b6t8c5nk5nvulueq","productId":"h4wn53bawf1lm3nvvldmp90q"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (14, '01a2059f-577b-7021-af23-f210c59b7106', 'extension.installed', 1795390658426, '{"kind":"plugin","slug":"greeter"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (15, '01a2059f-577b-7030-8516-a9f149ee5b76', 'instance.enabled', 1795390658427, '{"slug":"greeter","installationId":"2ccf709d-b3d0-437c-859e-51d8adbb8ee0"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (16, '01a2059f-581b-7870-96eb-802f84ead931', 'extension.upgraded', 1795390658587, '{"kind":"plugin","slug":"greeter"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (17, '01a2059f-5825-7197-891e-389cd46a9c0f', 'instance.enabled', 1795390658597, '{"slug":"greeter","installationId":"19a09642-5f63-4143-9831-299a8240b5e4"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (18, '01a2059f-5830-7f2c-8470-295e1d0808dd', 'extension.installed', 1795390658608, '{"kind":"plugin","slug":"hooked"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (19, '01a2059f-5831-707b-8385-43584c8add4f', 'instance.enabled', 1795390658609, '{"slug":"hooked","installationId":"0e16724c-0406-408e-902d-d597f7aaa1ed"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (20, '01a2059f-58cb-7c44-bde4-02b28730fe15', 'extension.installed', 1795390658763, '{"kind":"theme-shop","slug":"plain"}', true, '');
INSERT INTO public.goose_db_version VALUES (1, 0, true, '2026-11-22 23:37:37.7796');
INSERT INTO public.goose_db_version VALUES (2, 1, true, '2026-11-22 23:37:37.789562');
INSERT INTO public.goose_db_version VALUES (3, 2, true, '2026-11-22 23:37:37.791682');
INSERT INTO public.goose_db_version VALUES (4, 3, true, '2026-11-22 23:37:37.797583');
INSERT INTO public.goose_db_version VALUES (5, 4, true, '2026-11-22 23:37:37.807325');
INSERT INTO public.goose_db_version VALUES (6, 6, true, '2026-11-22 23:37:37.811622');
INSERT INTO public.goose_db_version VALUES (7, 7, true, '2026-11-22 23:37:37.818918');
INSERT INTO public.goose_db_version VALUES (8, 8, true, '2026-11-22 23:37:37.820925');
INSERT INTO public.goose_db_version VALUES (9, 9, true, '2026-11-22 23:37:37.823442');
INSERT INTO public.goose_db_version VALUES (10, 10, true, '2026-11-22 23:37:37.827851');
INSERT INTO public.goose_db_version VALUES (11, 11, true, '2026-11-22 23:37:37.833763');
INSERT INTO public.goose_db_version VALUES (12, 12, true, '2026-11-22 23:37:37.839766');
INSERT INTO public.goose_db_version VALUES (13, 13, true, '2026-11-22 23:37:37.844573');
INSERT INTO public.goose_db_version VALUES (14, 14, true, '2026-11-22 23:37:37.846165');
INSERT INTO public.goose_db_version VALUES (15, 15, true, '2026-11-22 23:37:37.847707');
INSERT INTO public.goose_db_version VALUES (16, 16, true, '2026-11-22 23:37:37.850663');
INSERT INTO public.goose_db_version VALUES (17, 17, true, '2026-11-22 23:37:37.851324');
INSERT INTO public.goose_db_version VALUES (18, 18, true, '2026-11-22 23:37:37.852216');
INSERT INTO public.goose_db_version VALUES (19, 19, true, '2026-11-22 23:37:37.854427');
INSERT INTO public.goose_db_version VALUES (20, 20, true, '2026-11-22 23:37:37.855434');
INSERT INTO public.goose_db_version VALUES (21, 21, true, '2026-11-22 23:37:37.856308');
INSERT INTO public.goose_db_version VALUES (22, 22, true, '2026-11-22 23:37:37.856932');
INSERT INTO public.goose_db_version VALUES (23, 24, true, '2026-11-22 23:37:37.858667');
INSERT INTO public.goose_db_version VALUES (24, 25, true, '2026-11-22 23:37:37.860427');
INSERT INTO public.goose_db_version VALUES (25, 26, true, '2026-11-22 23:37:37.863114');
INSERT INTO public.goose_db_version VALUES (26, 29, true, '2026-11-22 23:37:37.866599');
INSERT INTO public.goose_db_version VALUES (27, 30, true, '2026-11-22 23:37:37.869977');
INSERT INTO public.goose_db_version VALUES (28, 31, true, '2026-11-22 23:37:37.870502');
INSERT INTO public.goose_db_version VALUES (29, 33, true, '2026-11-22 23:37:37.872461');
INSERT INTO public.goose_db_version VALUES (30, 34, true, '2026-11-22 23:37:37.88196');
INSERT INTO public.goose_db_version VALUES (31, 35, true, '2026-11-22 23:37:37.883897');
INSERT INTO public.goose_db_version VALUES (32, 36, true, '2026-11-22 23:37:37.885242');
INSERT INTO public.goose_db_version VALUES (33, 37, true, '2026-11-22 23:37:37.886003');
INSERT INTO public.goose_db_version VALUES (34, 38, true, '2026-11-22 23:37:37.889511');
INSERT INTO public.goose_db_version VALUES (35, 39, true, '2026-11-22 23:37:37.89017');
INSERT INTO public.goose_db_version VALUES (36, 40, true, '2026-11-22 23:37:37.891575');
INSERT INTO public.goose_db_version VALUES (37, 43, true, '2026-11-22 23:37:37.893625');
INSERT INTO public.goose_db_version VALUES (38, 44, true, '2026-11-22 23:37:37.89511');
INSERT INTO public.goose_db_version VALUES (39, 45, true, '2026-11-22 23:37:37.89864');
INSERT INTO public.goose_db_version VALUES (40, 46, true, '2026-11-22 23:37:37.90092');
INSERT INTO public.goose_db_version VALUES (41, 48, true, '2026-11-22 23:37:37.902779');
INSERT INTO public.goose_db_version VALUES (42, 49, true, '2026-11-22 23:37:37.90342');
INSERT INTO public.goose_db_version VALUES (43, 53, true, '2026-11-22 23:37:37.905509');
INSERT INTO public.goose_db_version VALUES (44, 55, true, '2026-11-22 23:37:37.906891');
INSERT INTO public.goose_db_version VALUES (45, 58, true, '2026-11-22 23:37:37.908822');
INSERT INTO public.idempotency_keys VALUES ('a8b11a870d91fa31af57ce601dbfdecbd114f8b61da0a2bc8558194e77ece388', 'c75b5c9a75b7bbb6b9d9dff162302ca913fd48738941e3e266d89a3262b86965', 'b0w1i5dei5ckeyfj41ttt6wd', 'r9zncyt0toqh8tz87d50ntpc', 1, 1795390668254, 's1.AwQ3+KxG/4crZCvHKKmF9nfoeEpvri6FijEw+Ee8cQcMuNfWekYnkuzrDMhghH++IyG4lR9DLzbQTkf3JKMp26w1yBJA2Z4eBC7FUHbdMU4oho2Bufk8t8epPcawyamadvkx3uMupKnpdFDjZPplqBp8IEaHNAcGmGF80xOGDZhZbzVbUfmFlOJf9KWQLmzsQMZow22Kdo15IPfRSModEO+WzMorfAKmfovhApmvehjTI1ua5IC2gHen3HFVtRCJ/MM5haa0QR3cxzOj/KQMwFvz3KmlbFNwIVdV5oDLTF8B6wiEXIgHXNxUeFjfhqVz8JWV7TOJV3BEZngS9qS0PNFOG+lk3uoptWsMdzzeAg/HcQikjqnUbi+FaDR0ebale4P3xAzDuwywbK2p+FYpiAzjkDJVotB1pUcnbJd6OFctpzejH2i9wZLhCCeaLjhT6U08W9mwVQWopDt8dm3JK0FRwCM7zm5pmp8QNtI4kw', 1795477058254);
INSERT INTO public.license_instances VALUES ('yrp5ph63jmejaipnkwhgz57s', 'shop.example.com', 1795390658227, false, '');
INSERT INTO public.license_instances VALUES ('yrp5ph63jmejaipnkwhgz57s', 'dev.shop.example.com', 1795390658232, true, 'shop.example.com');
INSERT INTO public.license_renewals VALUES ('viaxoiabdfeiodqajnerit8k', 'in_1', 1700000000000);
INSERT INTO public.licenses VALUES ('yrp5ph63jmejaipnkwhgz57s', 'h4wn53bawf1lm3nvvldmp90q', 'seats-3', 'h0bf7ondntelulziw9hkvfcc', 'd1a60d55e537928c10922bc7754792f212cf0405ccdb60f7258ca40ab84b650c', 's1.DZvl/zxPsDSeZyXThwzTjtHFOxPRewo1d69GkLlAIFIxzeJj4xCpUyLfzcAfeLlXEHWCDtvMRt/jn/Q2k/jg1Qs2kbk', 'perpetual', '[]', 3, true, NULL, NULL, 1795390658219, 0, NULL, 0, 1, 1, 1795394978227, 1, 'YT4HS', 0);
INSERT INTO public.licenses VALUES ('viaxoiabdfeiodqajnerit8k', 'h4wn53bawf1lm3nvvldmp90q', 'many', 'h0bf7ondntelulziw9hkvfcc', 'cb9df3a6cb288130c04017e0f072d7b724f9c244970484119fda8d9059ded202', 's1.8MVaWhHhUl3aRMRHRyu7vz3bl1De74erb0ViX0K4AQ+9ibeqylscW2CUj+z7p55i7ChqyB0ukmEnS5MMkBJu1q7Lgmg', 'perpetual', '[]', 10000, true, NULL, 1795390658246, 1795390658236, 0, NULL, 0, 0, 0, NULL, 2, 'Y1CME', 0);
INSERT INTO public.licenses VALUES ('z4qjdk62j41ijacyiuuf2ixw', 'h4wn53bawf1lm3nvvldmp90q', 'seats-1', 'anonymous', 'fe94bb38c9fbad08480d60f8757c93c7ba84450637eb9da96b83fa73b7860141', 's1.dJA5nIYZtQUf93Px6KRCBp5VgHKPsRjmZTc7l8nvxHphzL1umHLon9v/qAxbz/9NOoXUGDh9vN0MrIn9kVFm2hHK7e8', 'perpetual', '[]', 1, true, NULL, NULL, 1795390658253, 0, NULL, 0, 0, 0, NULL, 1, 'ZSBMC', 0);
INSERT INTO public.licenses VALUES ('whdl73g8b6t8c5nk5nvulueq', 'h4wn53bawf1lm3nvvldmp90q', 'seats-2', 'anonymous', '696acf389bedaa58c290f4860f57b36ad0f7809bd3d3ff4b26aa327a95df2afb', 's1.D9FmU2npspkrBSVpl/Ttwd+JHbU3JzoRm84foltNZgQhktnyWaMrqEbSIA5TmVNZIQP5yqt0TtnXuQJIC//W28cjYP4', 'perpetual', '[]', 2, true, NULL, NULL, 1795390658256, 0, NULL, 0, 0, 0, NULL, 1, 'EE5AG', 0);
INSERT INTO public.mail_allowances VALUES ('receipt:paid:buyer@example.com', 1795394258229);
INSERT INTO public.order_claims VALUES ('hash', 'h0bf7ondntelulziw9hkvfcc', 'owner@example.com', 1700000000000);
INSERT INTO public.order_links VALUES ('c475b1a4902678b09aa9be3f63ae7d8d10940bf8d3db5e06f1f7466f10ccb2e4', 'buyer@example.com', 'buyer@example.com', 1795390658256);
INSERT INTO public.order_links VALUES ('20a2c20c0f73e09597458ee4b42a3c4b4ef188f98fb9ee1083ee26c9ebf2eb5d', 'buyer@example.com', 'buyer@example.com', 1795390658265);
INSERT INTO public.orders VALUES ('wbq096g2lmhijyqgyagbsx2o', 'h4wn53bawf1lm3nvvldmp90q', 'seats-3', 'h0bf7ondntelulziw9hkvfcc', 'card', '{"email":"buyer@example.com"}', 3000, 'EUR', 'paid', 'yrp5ph63jmejaipnkwhgz57s', 1795390658219, '', 'test', '', '', '', '', '', 1795390658219, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('f3t77cx73yowt4q43eqhfkfw', 'h4wn53bawf1lm3nvvldmp90q', 'many', 'h0bf7ondntelulziw9hkvfcc', 'card', '{"email":"buyer@example.com"}', 9000, 'EUR', 'refunded', 'viaxoiabdfeiodqajnerit8k', 1795390658236, '', 'test', '', '', '', '', '', 1795390658236, 1795390658246, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('r0i9w11mrg2zy7iqdn12aq8w', 'h4wn53bawf1lm3nvvldmp90q', 'seats-1', 'anonymous', 'card', '{"email":"buyer@example.com"}', 1000, 'EUR', 'paid', 'z4qjdk62j41ijacyiuuf2ixw', 1795390658253, '', 'test', '', '', '', '', '', 1795390658253, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('b0w1i5dei5ckeyfj41ttt6wd', 'h4wn53bawf1lm3nvvldmp90q', 'seats-2', 'anonymous', 'card', '{"email":"buyer@example.com"}', 2000, 'EUR', 'paid', 'whdl73g8b6t8c5nk5nvulueq', 1795390658256, '', 'test', '', '', '', '', '', 1795390658256, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.password_resets VALUES ('a3fb56e2c2b10fd00f9ac36f8ada770ee8f88a5d0f164550dd3a23cbd48c95e6', 'h0bf7ondntelulziw9hkvfcc', true, 1795390658271);
INSERT INTO public.payment_events VALUES ('stripe', 'evt_1', 'charge.refunded', 'b0w1i5dei5ckeyfj41ttt6wd', 1700000000000);
INSERT INTO public.plugin_event_use VALUES ('0e16724c-0406-408e-902d-d597f7aaa1ed', 1700000000000);
INSERT INTO public.plugin_failures VALUES ('0e16724c-0406-408e-902d-d597f7aaa1ed', 1, 'hash', 1700000000000, 'out of memory', 'index.js', 1);
INSERT INTO public.plugin_generation VALUES (1, 6);
INSERT INTO public.plugin_health VALUES ('hooked', 1700000000000, '6ec2dfc11bdfea6ddc065eb92b46fb2df0b6f76da2a5175013d15ae92f56fd43', NULL, NULL, NULL, 'no answer');
INSERT INTO public.plugin_instances VALUES ('2ccf709d-b3d0-437c-859e-51d8adbb8ee0', 'greeter', 'default', true, '', '["storage.read","storage.write","events.publish"]', 1, 1795390658278, 1795390658278, NULL);
INSERT INTO public.plugin_instances VALUES ('19a09642-5f63-4143-9831-299a8240b5e4', 'greeter', 'second', true, 's1.EKJAL6eyor8aCq9FhBr8fuIADou8wqD3V1m2LseBf8ghuB2/qcEo0WnRJKXYIvmh', '["storage.read","storage.write","events.publish"]', 1, 1795390658596, 1795390658596, NULL);
INSERT INTO public.plugin_instances VALUES ('0e16724c-0406-408e-902d-d597f7aaa1ed', 'hooked', 'default', true, '', '[]', 1, 1795390658608, 1795390658608, NULL);
INSERT INTO public.plugin_packages VALUES ('bw6u2cnwl64189xne07oc6qy', 'greeter', 'local-zip', 'plugins/greeter/1.1.0-62b4be94', '62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074', '{
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
}', 1795390658278, 1795390658440, NULL, '{}', 's1.4ZBP6xxEK/0OszTN5qZ4O3+nrpVWKxIQC9CDzw5XcQM4OeFcCq/m9/jQSwIH', false, 1, 'rxu6sw0w8io8nfl6zb5bro9p', '', false, false, false);
INSERT INTO public.plugin_packages VALUES ('rjq5ul0p67o7solc65slsnc9', 'hooked', 'local-zip', 'plugins/hooked/1.0.0-6ec2dfc1', '6ec2dfc11bdfea6ddc065eb92b46fb2df0b6f76da2a5175013d15ae92f56fd43', '{
  "externalBaseUrl": "http://127.0.0.1:33313",
  "lifecycle": {
    "onEnable": true,
    "onInstall": true
  },
  "name": "Hooked",
  "runtimeType": "external-http",
  "schemaVersion": 1,
  "slug": "hooked",
  "version": "1.0.0"
}', 1795390658608, 1795390658608, NULL, '{}', '', false, 0, '', '', false, false, true);
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
INSERT INTO public.plugin_remains VALUES ('purged', 'hooked', 'local-zip', '', '', '6ec2dfc11bdfea6ddc065eb92b46fb2df0b6f76da2a5175013d15ae92f56fd43', '', '{
  "externalBaseUrl": "http://127.0.0.1:33313",
  "lifecycle": {
    "onEnable": true,
    "onInstall": true
  },
  "name": "Hooked",
  "runtimeType": "external-http",
  "schemaVersion": 1,
  "slug": "hooked",
  "version": "1.0.0"
}', '{}', '', 0, 1795390658608, 1795390658608, 's1.sY9YuRqIodaOK+eLYfwcXuFjY6x/3mRd3g+8EKhN+3BAy9jz5ihJ3UR8TUydinIk1IJjkwbX3RGDl80IQEQQPbF0Lr96y5g', '', NULL);
INSERT INTO public.plugin_secrets VALUES ('greeter', 's1.FFU98/oRxZhDNyeD443YkW7PMPpta8+aoJAuZ8JlmYvnCXvoXNWhTN/wx6pO0F7BGl12YikZ7jeHvSZDHeCc16E9L+bnVnY', '', NULL);
INSERT INTO public.plugin_secrets VALUES ('hooked', 's1.sY9YuRqIodaOK+eLYfwcXuFjY6x/3mRd3g+8EKhN+3BAy9jz5ihJ3UR8TUydinIk1IJjkwbX3RGDl80IQEQQPbF0Lr96y5g', '', NULL);
INSERT INTO public.plugin_storage VALUES ('19a09642-5f63-4143-9831-299a8240b5e4', '\x68656c6c6f', 'text/plain', '"1"', 5, NULL, '\x68656c6c6f');
INSERT INTO public.plugin_storage_use VALUES ('19a09642-5f63-4143-9831-299a8240b5e4', 1, 10);
INSERT INTO public.product_counts VALUES (true, 'apps', 1);
INSERT INTO public.product_packages VALUES ('plugin', 'sold', '1.0.0', 'h4wn53bawf1lm3nvvldmp90q', 'packages/plugin/sold/1.0.0.zip', 'hash', 'acme', 1234, 1700000000000, NULL);
INSERT INTO public.products VALUES ('h4wn53bawf1lm3nvvldmp90q', 'app', 'App', 'app', 'app
app
apps
an app.
an app.', 'An app.', 'An app.', 'https://cdn.example.com/app.svg', 'apps', '[]', '[]', 'paid', 1000, 'EUR', 100000, 5, 1, 1000, 1004, false, false, true, '{"fullDescription":"An app.","features":null,"tiers":[{"id":"seats-1","name":"One","description":"","priceMinor":1000,"currency":"EUR","features":null,"maxInstances":1},{"id":"seats-2","name":"Two","description":"","priceMinor":2000,"currency":"EUR","features":null,"maxInstances":2},{"id":"seats-3","name":"Three","description":"","priceMinor":3000,"currency":"EUR","features":null,"maxInstances":3},{"id":"seats-4","name":"Four","description":"","priceMinor":4000,"currency":"EUR","features":null,"maxInstances":4},{"id":"many","name":"Many","description":"","priceMinor":9000,"currency":"EUR","features":null,"maxInstances":10000}],"faq":null}', 1795390657953, 1795390657953, 0, 1, 0, 0, 5, 1);
INSERT INTO public.receipts VALUES ('wbq096g2lmhijyqgyagbsx2o', 'sent', 1, '', NULL, 1795390658221, 1795390658229);
INSERT INTO public.receipts VALUES ('f3t77cx73yowt4q43eqhfkfw', 'sent', 1, '', NULL, 1795390658238, 1795390658243);
INSERT INTO public.receipts VALUES ('r0i9w11mrg2zy7iqdn12aq8w', 'sent', 1, '', NULL, 1795390658254, 1795390658256);
INSERT INTO public.receipts VALUES ('b0w1i5dei5ckeyfj41ttt6wd', 'sent', 1, '', NULL, 1795390658257, 1795390658265);
INSERT INTO public.reviews VALUES ('tn956y6f1b4mczwaq3z16ole', 'h4wn53bawf1lm3nvvldmp90q', 'h0bf7ondntelulziw9hkvfcc', 5, 'Good', '', false, 1795390658264, 1795390658264);
INSERT INTO public.sessions VALUES ('c5qibfj5z67fu30rdxpe1tqw', 'h0bf7ondntelulziw9hkvfcc', 'j0fpunde7hcs1ut52ald3opg', 'JDBzleJ_l2H85qfBFQBoxRfJ8noEPYvFw5AkfpI1800', 1795390658000, '[]', 1795390658172, 1797982658000);
INSERT INTO public.sessions VALUES ('ojxgkc5on08twsqw74davo4f', 'hcmvzbl6a8kv8601074sc5a5', 'q7v246otfedny3bfzgvm0ccu', 'JDBzleJ_l2H85qfBFQBoxRfJ8noEPYvFw5AkfpI1800', 1795390658000, '[]', 1795390658215, 1797982658000);
INSERT INTO public.settings VALUES ('migrated_by', '0.1.0-dev');
INSERT INTO public.settings VALUES ('master_key_check', 's1.XKc47VNXFOYdSbom8+Hcw+99wBiFjWjYtYZ9zkzHrSnQCtmVVR+26SkpSJo');
INSERT INTO public.settings VALUES ('platform_id', '05db1f4d-9ab5-410a-91c8-28aa7b9791aa');
INSERT INTO public.settings VALUES ('idempotency_hash_secret', 's1.qqJJAG8jYNo5s7XbibnNpPAUi8b0YFozSjKeVcoku3g+t8rYZxT+oANz6RlMG8KueAuRmh1Yc7jPa8U8');
INSERT INTO public.shop_settings VALUES (1, '', '', '', '', '', '', 1, NULL);
INSERT INTO public.signing_keys VALUES ('ya5bINk-X00NdZp6fCDk_6Y8YrKK3-Su8HKl7Zv1rm0', 'current', 's1.AqGWzQDtzMJ001CR9nl+9bQZDxF1XNZh8ydADiNMPVXieyvkzPOWUlXtSMNGP7ipupdksOzFnla5dCvb', 1795390657946, 1795390657946, 'license');
INSERT INTO public.signing_keys VALUES ('H_8UtsAiRK7wNWTJZU3Tk25kWpAhoNg9nsH3nUjX72g', 'next', 's1.32bYtiehFn8wknbgyiW8sYSViy4nT7dVmxEwk0lInYl5pfDiFq4G1KGq2Mpw7nxRsziZ49SKU2QtHMq7', 1795390657946, 1795390657946, 'license');
INSERT INTO public.signing_keys VALUES ('JDBzleJ_l2H85qfBFQBoxRfJ8noEPYvFw5AkfpI1800', 'current', 's1.uSnArUMlvocg0qeE+DBG+YnF/KuIm8rgcTuc2ht/85jhuIN7S48OihMVqiW0Yo0Hgf8QTqqgmNY9erzw', 1795390657948, 1795390657948, 'account');
INSERT INTO public.signing_keys VALUES ('-8Tb37REVrnBTeuLqPc7tiImwre5dlFtN_3dchhHAUw', 'next', 's1.E/hqV0d0Onr9q7OHuOotJvzNokDz5i+cPZXw/7hgl/9mbNZ23i7rhYaZDqBqx2pfO82yJOPgWZMl7ERv', 1795390657948, 1795390657948, 'account');
INSERT INTO public.signing_keys VALUES ('Mj9paepR-tKdxseB5LsY5VQfLZzgCNcBiV0z6pAwnq4', 'current', 's1.QIkuRs8vWGUjkGerGe0e5I+zNA09in2zvi5e4rzeBo3g2k9eDN+ehDqGNzHK1i/WVgVImGSfl3JT8XcU', 1795390657949, 1795390657949, 'plugin');
INSERT INTO public.signing_keys VALUES ('BarqC06aje1EZzyFl4SJL4TtwTscj2U7ff58ygL0gkY', 'next', 's1.UjKS7fl+jBxLsBawwpelB7zsgcyjEF3CEl1HJqiKJZebLkPcouJO+WpDwposuqkmAtIZO51U3DAFE/Ae', 1795390657949, 1795390657949, 'plugin');
INSERT INTO public.theme_targets VALUES ('admin', '', '', '', '', '', '');
INSERT INTO public.theme_targets VALUES ('shop', 'plain', '1.0.0', '', '', '', '');
INSERT INTO public.theme_versions VALUES ('z3tr2rbuvtii9p98r2xhf033', 'theme-shop', 'shop', 'plain', '1.0.0', 'z3tr2rbuvtii9p98r2xhf033', 'theme-shop/plain/1.0.0-4484b33f', '4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35', false, '', '{
  "entry": "theme.css",
  "name": "Theme plain",
  "schemaVersion": 1,
  "slug": "plain",
  "version": "1.0.0"
}', false, 1795390658762, 1795390658762, NULL);
INSERT INTO public.users VALUES ('hcmvzbl6a8kv8601074sc5a5', 'root@example.com', 'root@example.com', 'root', 'root', '$argon2id$v=19$m=19456,t=2,p=1$DPeADvZvwtrfwtLZS5snQg$vFqqm4aojSWSVu+43R6P9DQiNHk3dnWstBAATZq80PI', 'ADMIN', '', '', true, 1795390658063);
INSERT INTO public.users VALUES ('h0bf7ondntelulziw9hkvfcc', 'owner@example.com', 'owner@example.com', 'owner', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$4PP1plq7/kkLcjQLf/JNlg$Gle1TfKj/UM40A1wHHhFbWKj4wZZnydlIj/YbtBNCng', 'USER', '', '', true, 1795390658172);
INSERT INTO public.webhooks VALUES ('jm6zavhn12u3s4ffycauq1ie', 'https://hooks.example.com/stoa', '["order.*"]', true, '', NULL, 's1.w9uME+3zALLyxyWluPkeWXcc4yUMVjjeDOWmikTbDBVrW/TN4Zs/ej5tTAHsi68zUbhL2EE6f3gbrSUW', '', NULL, 1795390658271, 1795390658271);
SELECT pg_catalog.setval('public.audit_log_seq_seq', 12, true);
SELECT pg_catalog.setval('public.deliveries_seq_seq', 2, true);
SELECT pg_catalog.setval('public.events_seq_seq', 20, true);
SELECT pg_catalog.setval('public.goose_db_version_id_seq', 45, true);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_id_key UNIQUE (id);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.audit_streams
    ADD CONSTRAINT audit_streams_pkey PRIMARY KEY (name);
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
ALTER TABLE ONLY public.duties
    ADD CONSTRAINT duties_pkey PRIMARY KEY (name);
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
ALTER TABLE ONLY public.master_key_holders
    ADD CONSTRAINT master_key_holders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.order_claims
    ADD CONSTRAINT order_claims_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY public.order_links
    ADD CONSTRAINT order_links_pkey PRIMARY KEY (token_hash);
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
CREATE INDEX order_links_age ON public.order_links USING btree (created_at_ms);
CREATE INDEX order_links_email ON public.order_links USING btree (email_key);
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
