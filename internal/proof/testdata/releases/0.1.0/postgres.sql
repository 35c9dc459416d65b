-- {"licenseKey":"STOA-C391Q-W92QF-22T8N-TQREF-1P5SJ-XPJJ9","rows":{"audit_log":12,"audit_streams":1,"backup_jobs":2,"bundle_items":1,"bundles":1,"deliveries":2,"delivery_attempts":2,"delivery_queues":1,"duties":1,"events":20,"idempotency_keys":1,"license_instances":2,"license_renewals":1,"licenses":4,"mail_allowances":1,"master_key_holders":0,"order_claims":1,"order_links":2,"orders":4,"password_resets":1,"payment_events":1,"plugin_event_use":1,"plugin_failures":1,"plugin_generation":1,"plugin_health":1,"plugin_instances":3,"plugin_packages":2,"plugin_previous_versions":1,"plugin_remains":1,"plugin_secrets":2,"plugin_storage":1,"plugin_storage_use":1,"product_counts":1,"product_packages":1,"products":1,"receipts":4,"reviews":1,"sessions":2,"settings":4,"shop_settings":1,"signing_keys":6,"theme_targets":2,"theme_versions":1,"users":2,"webhooks":1}}
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
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (1, 'b6mmay73zn26s4igknjubqlm', 1795461324585, 'cli', 'root', '', 'product.create', 'product', 'ezq4d9x2lqscn0fktjs6mhz3', '', '', '{"published":true,"slug":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (2, 'd0lua1i6lv1e8zninbjahtzw', 1795461324585, 'cli', 'root', '', 'catalog.import', 'catalog', '', '', '', '{"created":1,"unchanged":0,"updated":0}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (3, 'y0ui2eqjeofsd6rhtqum58yu', 1795461324808, 'system', '', '', 'user.create', 'user', 'q6i5fu4o8orkymke3rumruzb', '', '', '{"email":"root@example.com","role":"ADMIN"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (4, 'ot8dw5jqaovz0yda11y9u93m', 1795461325489, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'order.refund', 'order', 'vvrpu0xideuaulr255yafui2', '127.0.0.1', '01a209d5-a291-7e3e-a719-2026a45e09a4', '{"amount":90,"currency":"EUR","licenseId":"ohps5yaqarv2tpc2ds04z3b3","product":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (5, 'd16ws5gl2k53a2t774chxtn8', 1795461325538, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'webhook.create', 'webhook', 'sqve7sg1dttrqc7flrqe8m0n', '127.0.0.1', '01a209d5-a2db-7555-a04d-74661ff7e277', '{"enabled":true,"events":["order.*"],"host":"hooks.example.com"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (6, 'fd5pajcqrh0y8lif3fceau1q', 1795461325842, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'plugin.install', 'plugin', 'greeter', '127.0.0.1', '01a209d5-a2e7-7417-b912-349c446c2857', '{"installationId":"9894c7ff-1a29-41a3-87e7-ba46a68b86f4","permissions":["storage.read","storage.write","events.publish"],"runtimeType":"internal-fastify","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"0edf98b7c5c011b50b52ea7782de2ef81d1412dcae7f1725c07db820c30550ae"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (7, 'kuud8hwei7chzk9dl7s98c0f', 1795461326208, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'plugin.upgrade', 'plugin', 'greeter', '127.0.0.1', '01a209d5-a420-771e-a9af-e30cb47c42bd', '{"addedPermissions":[],"previousVersion":"1.0.0","signedBy":"","source":"local-zip","version":"1.1.0","zipHash":"62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (8, 'rr3siyfusdbyzqfg07krtcnr', 1795461326215, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'instance.create', 'instance', 'f50fbdac-a674-4a02-b92b-3e497acad339', '127.0.0.1', '01a209d5-a585-7c9f-933e-2c4c866d90a4', '{"enabled":true,"grantedPermissions":["storage.read","storage.write","events.publish"],"instanceKey":"second","slug":"greeter"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (9, 'xgt7tvdzoqxm5kftl90cswze', 1795461326224, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'plugin.update', 'plugin', 'greeter', '127.0.0.1', '01a209d5-a58b-73df-b2da-b764f2660e7f', '{"settings":["environment"]}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (10, 'uh55ce1o5lk9vjtwcqrgowip', 1795461326271, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'plugin.install', 'plugin', 'hooked', '127.0.0.1', '01a209d5-a5a6-7a68-9f17-c34ef3c3eea4', '{"installationId":"ef9e6e04-18b8-4928-9363-42537b63496b","permissions":[],"runtimeType":"external-http","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"e587fb29ae1ee747405ccf6e45abc0fa9f40e8550c027fa17fa089d5a10efd81"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (11, 'm3vvvg4x6tgsy929qlhhzpp7', 1795461326818, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'theme.install', 'theme-shop', 'plain', '127.0.0.1', '01a209d5-a7c5-757b-874e-c0f83b1a723a', '{"version":"1.0.0","zipHash":"4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (12, 'o1fsmj8vw6n2epqan0z79sp1', 1795461326840, 'user', 'q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'theme.activate', 'theme', 'shop', '127.0.0.1', '01a209d5-a7e4-7da4-9ca3-f8a645bd2218', '{"previousTheme":"built-in","theme":"plain 1.0.0"}');
INSERT INTO public.audit_streams VALUES ('audit.jsonl', 1, 'a process', 1700000000000, 1, 'no answer');
INSERT INTO public.backup_jobs VALUES ('backup', 0, '', 0, 0, '', 0, 0, 0, '');
INSERT INTO public.backup_jobs VALUES ('verify', 0, '', 0, 0, '', 0, 0, 0, '');
INSERT INTO public.bundle_items VALUES ('starter', 0, 'plugin', 'greeter', '1.1.0', 'installed', 'p1', false, false);
INSERT INTO public.bundles VALUES ('starter', 'b1', 'r1', 'hash', false, '', '{"slug":"starter","version":"1.0.0"}', 1700000000000, 1700000000000);
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (1, '01a209d5-a5bc-7c20-a09b-4563d14ce754', 'plugins:ef9e6e04-18b8-4928-9363-42537b63496b', 'plugins', 'hook', 'ef9e6e04-18b8-4928-9363-42537b63496b', 'hooked', 'onInstall', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'qqf26bb5fe1qs3u3s8xtynmw', 'delivered', 1, 1, NULL, 1795461326268, 1795461326289, '');
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (2, '01a209d5-a5bc-7d3f-84d4-a5ea52728e02', 'plugins:ef9e6e04-18b8-4928-9363-42537b63496b', 'plugins', 'hook', 'ef9e6e04-18b8-4928-9363-42537b63496b', 'hooked', 'onEnable', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'qqf26bb5fe1qs3u3s8xtynmw', 'delivered', 1, 1, NULL, 1795461326268, 1795461326293, '');
INSERT INTO public.delivery_attempts VALUES ('01a209d5-a5bc-7c20-a09b-4563d14ce754', 1, 1795461326279, 10172, 204, '', '');
INSERT INTO public.delivery_attempts VALUES ('01a209d5-a5bc-7d3f-84d4-a5ea52728e02', 1, 1795461326289, 4031, 204, '', '');
INSERT INTO public.delivery_queues VALUES ('plugins:ef9e6e04-18b8-4928-9363-42537b63496b', 'plugins', '', NULL, 1795461356308);
INSERT INTO public.duties VALUES ('kept plugins', 'a process', 1700000000000);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (1, '01a209d5-a0e6-73e0-8703-746262f52939', 'user.registered', 1795461325030, '{"userId":"x63iy43yivrwenz1otuaygzp"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (2, '01a209d5-a251-73eb-b815-61530cc817ef', 'order.paid', 1795461325393, '{"userId":"x63iy43yivrwenz1otuaygzp","orderId":"k8ltjsrqgh4pbazy2n5irywj","licenseId":"d4bwa5j68uu4upiqdcx5ybkq","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (3, '01a209d5-a251-7404-a926-b9a8b12b275c', 'license.issued', 1795461325393, '{"userId":"x63iy43yivrwenz1otuaygzp","licenseId":"d4bwa5j68uu4upiqdcx5ybkq","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (4, '01a209d5-a27c-72d5-ba58-fbdd805b4d43', 'license.activated', 1795461325433, '{"userId":"x63iy43yivrwenz1otuaygzp","licenseId":"d4bwa5j68uu4upiqdcx5ybkq","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (5, '01a209d5-a28a-7db7-baa3-5279fa8a7771', 'license.activated', 1795461325449, '{"userId":"x63iy43yivrwenz1otuaygzp","licenseId":"d4bwa5j68uu4upiqdcx5ybkq","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (6, '01a209d5-a28f-7a4f-936d-87c3bd947805', 'order.paid', 1795461325455, '{"userId":"x63iy43yivrwenz1otuaygzp","orderId":"vvrpu0xideuaulr255yafui2","licenseId":"ohps5yaqarv2tpc2ds04z3b3","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (7, '01a209d5-a28f-7a5a-9764-3653aeb1aed7', 'license.issued', 1795461325455, '{"userId":"x63iy43yivrwenz1otuaygzp","licenseId":"ohps5yaqarv2tpc2ds04z3b3","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (8, '01a209d5-a2aa-7610-af37-0cea64cd1e16', 'order.refunded', 1795461325482, '{"userId":"x63iy43yivrwenz1otuaygzp","orderId":"vvrpu0xideuaulr255yafui2","licenseId":"ohps5yaqarv2tpc2ds04z3b3","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (9, '01a209d5-a2b1-7288-b30a-799c3b20053b', 'license.revoked', 1795461325489, '{"userId":"x63iy43yivrwenz1otuaygzp","licenseId":"ohps5yaqarv2tpc2ds04z3b3","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (10, '01a209d5-a2c3-7b6c-af34-6869c23db77d', 'order.paid', 1795461325507, '{"orderId":"c0vjyl4x2o2svb4tlaxxjsis","licenseId":"ap7avcpfv91h2jofpj42o0i4","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (11, '01a209d5-a2c3-7b7b-aa2e-38ca0e670879', 'license.issued', 1795461325507, '{"licenseId":"ap7avcpfv91h2jofpj42o0i4","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (12, '01a209d5-a2cf-7a93-8113-4d6dc36b9e0b', 'order.paid', 1795461325519, '{"orderId":"cx99wminth5rwdincr4omvx3","licenseId":"t9ocfnozkvkmgyv6j9652w1k","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (13, '01a209d5-a2cf-7aa3-8c9a-d4a9a35e691e', 'license.issued', 1795461325519, '{"licenseId":"t9ocfnozkvkmgyv6j9652w1k","productId":"ezq4d9x2lqscn0fktjs6mhz3"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (14, '01a209d5-a40e-7b62-b600-7e90093e3686', 'extension.installed', 1795461325838, '{"kind":"plugin","slug":"greeter"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (15, '01a209d5-a40e-7bfc-a29a-a333f4343da6', 'instance.enabled', 1795461325838, '{"slug":"greeter","installationId":"9894c7ff-1a29-41a3-87e7-ba46a68b86f4"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (16, '01a209d5-a580-79c2-9618-97bf9c7484fb', 'extension.upgraded', 1795461326208, '{"kind":"plugin","slug":"greeter"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (17, '01a209d5-a587-7be7-8cc4-f8b2e799265d', 'instance.enabled', 1795461326215, '{"slug":"greeter","installationId":"f50fbdac-a674-4a02-b92b-3e497acad339"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (18, '01a209d5-a5bc-7c13-9254-49b543d6ad14', 'extension.installed', 1795461326268, '{"kind":"plugin","slug":"hooked"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (19, '01a209d5-a5bc-7d54-a747-eb873508eeca', 'instance.enabled', 1795461326268, '{"slug":"hooked","installationId":"ef9e6e04-18b8-4928-9363-42537b63496b"}', true, '');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (20, '01a209d5-a7e1-7e2b-b177-191972abd31b', 'extension.installed', 1795461326817, '{"kind":"theme-shop","slug":"plain"}', true, '');
INSERT INTO public.goose_db_version VALUES (1, 0, true, '2026-11-23 19:15:23.750087');
INSERT INTO public.goose_db_version VALUES (2, 1, true, '2026-11-23 19:15:23.796686');
INSERT INTO public.goose_db_version VALUES (3, 2, true, '2026-11-23 19:15:23.81848');
INSERT INTO public.goose_db_version VALUES (4, 3, true, '2026-11-23 19:15:23.874228');
INSERT INTO public.goose_db_version VALUES (5, 4, true, '2026-11-23 19:15:23.949109');
INSERT INTO public.goose_db_version VALUES (6, 6, true, '2026-11-23 19:15:23.983962');
INSERT INTO public.goose_db_version VALUES (7, 7, true, '2026-11-23 19:15:24.015026');
INSERT INTO public.goose_db_version VALUES (8, 8, true, '2026-11-23 19:15:24.040716');
INSERT INTO public.goose_db_version VALUES (9, 9, true, '2026-11-23 19:15:24.05639');
INSERT INTO public.goose_db_version VALUES (10, 10, true, '2026-11-23 19:15:24.087458');
INSERT INTO public.goose_db_version VALUES (11, 11, true, '2026-11-23 19:15:24.129895');
INSERT INTO public.goose_db_version VALUES (12, 12, true, '2026-11-23 19:15:24.153235');
INSERT INTO public.goose_db_version VALUES (13, 13, true, '2026-11-23 19:15:24.173607');
INSERT INTO public.goose_db_version VALUES (14, 14, true, '2026-11-23 19:15:24.186267');
INSERT INTO public.goose_db_version VALUES (15, 15, true, '2026-11-23 19:15:24.189415');
INSERT INTO public.goose_db_version VALUES (16, 16, true, '2026-11-23 19:15:24.201144');
INSERT INTO public.goose_db_version VALUES (17, 17, true, '2026-11-23 19:15:24.202197');
INSERT INTO public.goose_db_version VALUES (18, 18, true, '2026-11-23 19:15:24.207505');
INSERT INTO public.goose_db_version VALUES (19, 19, true, '2026-11-23 19:15:24.217215');
INSERT INTO public.goose_db_version VALUES (20, 20, true, '2026-11-23 19:15:24.222155');
INSERT INTO public.goose_db_version VALUES (21, 21, true, '2026-11-23 19:15:24.223909');
INSERT INTO public.goose_db_version VALUES (22, 22, true, '2026-11-23 19:15:24.224377');
INSERT INTO public.goose_db_version VALUES (23, 24, true, '2026-11-23 19:15:24.230378');
INSERT INTO public.goose_db_version VALUES (24, 25, true, '2026-11-23 19:15:24.238203');
INSERT INTO public.goose_db_version VALUES (25, 26, true, '2026-11-23 19:15:24.256378');
INSERT INTO public.goose_db_version VALUES (26, 29, true, '2026-11-23 19:15:24.272395');
INSERT INTO public.goose_db_version VALUES (27, 30, true, '2026-11-23 19:15:24.291446');
INSERT INTO public.goose_db_version VALUES (28, 31, true, '2026-11-23 19:15:24.29186');
INSERT INTO public.goose_db_version VALUES (29, 33, true, '2026-11-23 19:15:24.294946');
INSERT INTO public.goose_db_version VALUES (30, 34, true, '2026-11-23 19:15:24.346871');
INSERT INTO public.goose_db_version VALUES (31, 35, true, '2026-11-23 19:15:24.354331');
INSERT INTO public.goose_db_version VALUES (32, 36, true, '2026-11-23 19:15:24.362478');
INSERT INTO public.goose_db_version VALUES (33, 37, true, '2026-11-23 19:15:24.366228');
INSERT INTO public.goose_db_version VALUES (34, 38, true, '2026-11-23 19:15:24.386395');
INSERT INTO public.goose_db_version VALUES (35, 39, true, '2026-11-23 19:15:24.387082');
INSERT INTO public.goose_db_version VALUES (36, 40, true, '2026-11-23 19:15:24.39589');
INSERT INTO public.goose_db_version VALUES (37, 43, true, '2026-11-23 19:15:24.403033');
INSERT INTO public.goose_db_version VALUES (38, 44, true, '2026-11-23 19:15:24.411878');
INSERT INTO public.goose_db_version VALUES (39, 45, true, '2026-11-23 19:15:24.425858');
INSERT INTO public.goose_db_version VALUES (40, 46, true, '2026-11-23 19:15:24.434218');
INSERT INTO public.goose_db_version VALUES (41, 48, true, '2026-11-23 19:15:24.442992');
INSERT INTO public.goose_db_version VALUES (42, 49, true, '2026-11-23 19:15:24.443427');
INSERT INTO public.goose_db_version VALUES (43, 53, true, '2026-11-23 19:15:24.451569');
INSERT INTO public.goose_db_version VALUES (44, 55, true, '2026-11-23 19:15:24.459694');
INSERT INTO public.goose_db_version VALUES (45, 58, true, '2026-11-23 19:15:24.466237');
INSERT INTO public.idempotency_keys VALUES ('a8b11a870d91fa31af57ce601dbfdecbd114f8b61da0a2bc8558194e77ece388', 'c75b5c9a75b7bbb6b9d9dff162302ca913fd48738941e3e266d89a3262b86965', 'cx99wminth5rwdincr4omvx3', 'flu5zo7i1fp66ir84egd0ez1', 1, 1795461335510, 's1.xj+n/UlnMlnXjOZyX5NBqC4C0kFDkClVMgh/RILPqDCwpKC8X6Dy9NjMc50HG5fzrypAivE6TVN8KsLoLO6dtjLwvTTUQOcPHbnN20dEjvASyptWsDp+11WvZREeIxLNFGzXe+B7yIUCQNiNo1fpRV498BjIRaq4bcoN2Ul+GV5ENdif1hPIcxyUcxKpUKpePXgOD6bqDI+urIdtRJ8HEKolodM8uYMDKqz3sO/x/+00RLCb94a5gLQfr3GO7HWLSA53UaC9fWImu4tZ3LVuIKVhO7MnfCR8l2LYsJGDt0BFmy2so0WWXdpoJGUNjK5wSAYUyFYrUt0RHGSSeXCDPayR2tGwt9HGnDOzhLAkFtxFam6UgEDhrrY2SlvgoMPPGpaITqIro0AVdQ8szGrKBWC6c9nBIxLND0Z+K28vfnO5up0gNUN2PQPxhm8B/fRAPpSNE8IRa1vTzrtz1WMYjNJM0zHxmsBwtI1hd729yA', 1795547725510);
INSERT INTO public.license_instances VALUES ('d4bwa5j68uu4upiqdcx5ybkq', 'shop.example.com', 1795461325433, false, '');
INSERT INTO public.license_instances VALUES ('d4bwa5j68uu4upiqdcx5ybkq', 'dev.shop.example.com', 1795461325449, true, 'shop.example.com');
INSERT INTO public.license_renewals VALUES ('ap7avcpfv91h2jofpj42o0i4', 'in_1', 1700000000000);
INSERT INTO public.licenses VALUES ('d4bwa5j68uu4upiqdcx5ybkq', 'ezq4d9x2lqscn0fktjs6mhz3', 'seats-3', 'x63iy43yivrwenz1otuaygzp', '9b9eff8f92446ab50c41ba363d59d6c41ff530b7cfcbfc4f882ac9e9f5799434', 's1.DUfB7p/ROwl7yKv2cDondBb8HtHKmlgatsrAPwfAq5ayUcA6vp3mJz/X0rSD3n1QCaXkaTWvxF+l33TXx78D7oHX5mU', 'perpetual', '[]', 3, true, NULL, NULL, 1795461325381, 0, NULL, 0, 1, 1, 1795465645433, 1, 'XPJJ9', 0);
INSERT INTO public.licenses VALUES ('ohps5yaqarv2tpc2ds04z3b3', 'ezq4d9x2lqscn0fktjs6mhz3', 'many', 'x63iy43yivrwenz1otuaygzp', '270616cd82d6aa3d2c31a9edd2ce8200e97d5adbeded7b730ccf8317f3d8e923', 's1.QaSb1q2Pda/F4kjBXRNobOaRP6y+2mr5kj4/TALpjV5SHtRX3LoWwoWk+rbK4wQRJTu1seozJFmp8rEYZBjM5ubLbGU', 'perpetual', '[]', 10000, true, NULL, 1795461325475, 1795461325453, 0, NULL, 0, 0, 0, NULL, 2, '568BF', 0);
INSERT INTO public.licenses VALUES ('ap7avcpfv91h2jofpj42o0i4', 'ezq4d9x2lqscn0fktjs6mhz3', 'seats-1', 'anonymous', 'd6bb738ceb0c46eff5cc2cd988d71f7b2714dd3c55eedd9f16f3f309c17a83cd', 's1.ffACjbNX5DuG3VGpLsVEt3/FX9TZVqWcmJ1T3STTqLUZlciy5rqVqc/MEPQhPorVgk5VHKskTvpAK2d45Vx0YD45F7Q', 'perpetual', '[]', 1, true, NULL, NULL, 1795461325500, 0, NULL, 0, 0, 0, NULL, 1, 'AMT49', 0);
INSERT INTO public.licenses VALUES ('t9ocfnozkvkmgyv6j9652w1k', 'ezq4d9x2lqscn0fktjs6mhz3', 'seats-2', 'anonymous', '596186087720b142e9172ab0b244888a3ca327a0f087420f77bea221510d6be0', 's1.N+ixYsX7uDz3NjHeZ70ovLFVlcSdc7NYldV/tuAeRUUeWu28WFXvT9si5K40qCUF2IE0KyAWiDfFLAJ29hE2PsDsJzU', 'perpetual', '[]', 2, true, NULL, NULL, 1795461325517, 0, NULL, 0, 0, 0, NULL, 1, 'GR8K2', 0);
INSERT INTO public.mail_allowances VALUES ('receipt:paid:buyer@example.com', 1795464925439);
INSERT INTO public.order_claims VALUES ('hash', 'q6i5fu4o8orkymke3rumruzb', 'owner@example.com', 1700000000000);
INSERT INTO public.order_links VALUES ('200bc64b39cb43481c98b1c323ae7802b7c22554727e112ddac659489e454680', 'buyer@example.com', 'buyer@example.com', 1795461325517);
INSERT INTO public.order_links VALUES ('be61500b98c267a13c4cc88d27932cfb578130185bcc9e8372cdb9b5366d4328', 'buyer@example.com', 'buyer@example.com', 1795461325523);
INSERT INTO public.orders VALUES ('k8ltjsrqgh4pbazy2n5irywj', 'ezq4d9x2lqscn0fktjs6mhz3', 'seats-3', 'x63iy43yivrwenz1otuaygzp', 'card', '{"email":"buyer@example.com"}', 3000, 'EUR', 'paid', 'd4bwa5j68uu4upiqdcx5ybkq', 1795461325381, '', 'test', '', '', '', '', '', 1795461325381, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('vvrpu0xideuaulr255yafui2', 'ezq4d9x2lqscn0fktjs6mhz3', 'many', 'x63iy43yivrwenz1otuaygzp', 'card', '{"email":"buyer@example.com"}', 9000, 'EUR', 'refunded', 'ohps5yaqarv2tpc2ds04z3b3', 1795461325453, '', 'test', '', '', '', '', '', 1795461325453, 1795461325475, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('c0vjyl4x2o2svb4tlaxxjsis', 'ezq4d9x2lqscn0fktjs6mhz3', 'seats-1', 'anonymous', 'card', '{"email":"buyer@example.com"}', 1000, 'EUR', 'paid', 'ap7avcpfv91h2jofpj42o0i4', 1795461325500, '', 'test', '', '', '', '', '', 1795461325500, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('cx99wminth5rwdincr4omvx3', 'ezq4d9x2lqscn0fktjs6mhz3', 'seats-2', 'anonymous', 'card', '{"email":"buyer@example.com"}', 2000, 'EUR', 'paid', 't9ocfnozkvkmgyv6j9652w1k', 1795461325517, '', 'test', '', '', '', '', '', 1795461325517, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.password_resets VALUES ('fe2730c2b26db6c1573b4cf7837dd1787010bf36318d515b987177eaabb63f2e', 'x63iy43yivrwenz1otuaygzp', true, 1795461325531);
INSERT INTO public.payment_events VALUES ('stripe', 'evt_1', 'charge.refunded', 'c0vjyl4x2o2svb4tlaxxjsis', 1700000000000);
INSERT INTO public.plugin_event_use VALUES ('9894c7ff-1a29-41a3-87e7-ba46a68b86f4', 1700000000000);
INSERT INTO public.plugin_failures VALUES ('9894c7ff-1a29-41a3-87e7-ba46a68b86f4', 1, 'hash', 1700000000000, 'out of memory', 'index.js', 1);
INSERT INTO public.plugin_generation VALUES (1, 6);
INSERT INTO public.plugin_health VALUES ('hooked', 1700000000000, 'e587fb29ae1ee747405ccf6e45abc0fa9f40e8550c027fa17fa089d5a10efd81', NULL, NULL, NULL, 'no answer');
INSERT INTO public.plugin_instances VALUES ('9894c7ff-1a29-41a3-87e7-ba46a68b86f4', 'greeter', 'default', true, '', '["storage.read","storage.write","events.publish"]', 1, 1795461325554, 1795461325554, NULL);
INSERT INTO public.plugin_instances VALUES ('f50fbdac-a674-4a02-b92b-3e497acad339', 'greeter', 'second', true, 's1.E0i3ZvXEe5P1nRUfSE+7B1cn70B5CdJjjAdMyyiMDO/EwPhQv5C7WCtVzK2ynvNW', '["storage.read","storage.write","events.publish"]', 1, 1795461326215, 1795461326215, NULL);
INSERT INTO public.plugin_instances VALUES ('ef9e6e04-18b8-4928-9363-42537b63496b', 'hooked', 'default', true, '', '[]', 1, 1795461326268, 1795461326268, NULL);
INSERT INTO public.plugin_packages VALUES ('a7n9whx0h5icwpisevdomgsw', 'greeter', 'local-zip', 'plugins/greeter/1.1.0-62b4be94', '62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074', '{
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
}', 1795461325554, 1795461325865, NULL, '{}', 's1.VQXdiIOMBWo7P0oLLDtEo7j8l4MI5Bt+TM9TbvgTVXiktSV2I2pI69BSeIDd', false, 1, 'yo4g8uylr5l3x3whshu85fzg', '', false, false, false);
INSERT INTO public.plugin_packages VALUES ('qqf26bb5fe1qs3u3s8xtynmw', 'hooked', 'local-zip', 'plugins/hooked/1.0.0-e587fb29', 'e587fb29ae1ee747405ccf6e45abc0fa9f40e8550c027fa17fa089d5a10efd81', '{
  "externalBaseUrl": "http://127.0.0.1:44279",
  "lifecycle": {
    "onEnable": true,
    "onInstall": true
  },
  "name": "Hooked",
  "runtimeType": "external-http",
  "schemaVersion": 1,
  "slug": "hooked",
  "version": "1.0.0"
}', 1795461326268, 1795461326268, NULL, '{}', '', false, 0, '', '', false, false, true);
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
INSERT INTO public.plugin_remains VALUES ('purged', 'hooked', 'local-zip', '', '', 'e587fb29ae1ee747405ccf6e45abc0fa9f40e8550c027fa17fa089d5a10efd81', '', '{
  "externalBaseUrl": "http://127.0.0.1:44279",
  "lifecycle": {
    "onEnable": true,
    "onInstall": true
  },
  "name": "Hooked",
  "runtimeType": "external-http",
  "schemaVersion": 1,
  "slug": "hooked",
  "version": "1.0.0"
}', '{}', '', 0, 1795461326268, 1795461326268, 's1.NIfg/KkAn/I/nCUng8trUNCkKCCrO2HcU41x5IiBFTTNMlZenNTnGnwTCdaZOWUyUZhUJFOimb1a1nqzkrCHJ3EtaibTkC8', '', NULL);
INSERT INTO public.plugin_secrets VALUES ('greeter', 's1.aHA1cudgs0Ta/LSpgwLrdh7x08KiXuoa0cEYrfjbkrKOpYP+PnXVaMnEyTuKSrCk6DZWGBdNu7z/IZh+rhuTcuDHnM7xUno', '', NULL);
INSERT INTO public.plugin_secrets VALUES ('hooked', 's1.NIfg/KkAn/I/nCUng8trUNCkKCCrO2HcU41x5IiBFTTNMlZenNTnGnwTCdaZOWUyUZhUJFOimb1a1nqzkrCHJ3EtaibTkC8', '', NULL);
INSERT INTO public.plugin_storage VALUES ('9894c7ff-1a29-41a3-87e7-ba46a68b86f4', '\x68656c6c6f', 'text/plain', '"1"', 5, NULL, '\x68656c6c6f');
INSERT INTO public.plugin_storage_use VALUES ('9894c7ff-1a29-41a3-87e7-ba46a68b86f4', 1, 10);
INSERT INTO public.product_counts VALUES (true, 'apps', 1);
INSERT INTO public.product_packages VALUES ('plugin', 'sold', '1.0.0', 'ezq4d9x2lqscn0fktjs6mhz3', 'packages/plugin/sold/1.0.0.zip', 'hash', 'acme', 1234, 1700000000000, NULL);
INSERT INTO public.products VALUES ('ezq4d9x2lqscn0fktjs6mhz3', 'app', 'App', 'app', 'app
app
apps
an app.
an app.', 'An app.', 'An app.', 'https://cdn.example.com/app.svg', 'apps', '[]', '[]', 'paid', 1000, 'EUR', 100000, 5, 1, 1000, 1004, false, false, true, '{"fullDescription":"An app.","features":null,"tiers":[{"id":"seats-1","name":"One","description":"","priceMinor":1000,"currency":"EUR","features":null,"maxInstances":1},{"id":"seats-2","name":"Two","description":"","priceMinor":2000,"currency":"EUR","features":null,"maxInstances":2},{"id":"seats-3","name":"Three","description":"","priceMinor":3000,"currency":"EUR","features":null,"maxInstances":3},{"id":"seats-4","name":"Four","description":"","priceMinor":4000,"currency":"EUR","features":null,"maxInstances":4},{"id":"many","name":"Many","description":"","priceMinor":9000,"currency":"EUR","features":null,"maxInstances":10000}],"faq":null}', 1795461324585, 1795461324585, 0, 1, 0, 0, 5, 1);
INSERT INTO public.receipts VALUES ('k8ltjsrqgh4pbazy2n5irywj', 'sent', 1, '', NULL, 1795461325388, 1795461325439);
INSERT INTO public.receipts VALUES ('vvrpu0xideuaulr255yafui2', 'sent', 1, '', NULL, 1795461325454, 1795461325459);
INSERT INTO public.receipts VALUES ('c0vjyl4x2o2svb4tlaxxjsis', 'sent', 1, '', NULL, 1795461325505, 1795461325513);
INSERT INTO public.receipts VALUES ('cx99wminth5rwdincr4omvx3', 'sent', 1, '', NULL, 1795461325519, 1795461325523);
INSERT INTO public.reviews VALUES ('zvlj4805ed0gbjq6wfekcbfc', 'ezq4d9x2lqscn0fktjs6mhz3', 'x63iy43yivrwenz1otuaygzp', 5, 'Good', '', false, 1795461325525, 1795461325525);
INSERT INTO public.sessions VALUES ('euq81ut42qy91658lxbaeeuq', 'x63iy43yivrwenz1otuaygzp', 'r204g0nrk565shpxjiozhr9p', 'S23v75lRJi_I_NmiT0pngKxdYq-V-QrUIJemdQCZgrE', 1795461325000, '[]', 1795461325016, 1798053325000);
INSERT INTO public.sessions VALUES ('o19ihexi4rhamvpf03avwull', 'q6i5fu4o8orkymke3rumruzb', 'je90mbdqeozkj7k5dp0ll0pt', 'S23v75lRJi_I_NmiT0pngKxdYq-V-QrUIJemdQCZgrE', 1795461325000, '[]', 1795461325365, 1798053325000);
INSERT INTO public.settings VALUES ('migrated_by', '0.1.0');
INSERT INTO public.settings VALUES ('master_key_check', 's1.nCIVL/CCWwUW+3LqYdWcOlLfNkUQfFtXBcvGp70KIPUqg/iKMiOWL+dSv+g');
INSERT INTO public.settings VALUES ('platform_id', 'b0a5bd81-e300-441d-ab40-bf84e4ebf204');
INSERT INTO public.settings VALUES ('idempotency_hash_secret', 's1.NM0Dex4aJe7k1FInejAFANdo2ixAsWe8rrxdFbq3CGIwg6hMx/LzO9pD7HhNUpB0W+XBwtninKDY44Zl');
INSERT INTO public.shop_settings VALUES (1, '', '', '', '', '', '', 1, NULL);
INSERT INTO public.signing_keys VALUES ('d1Z0ubcIQVzH7o8QoYpsY7gOyPj0sHGBXihe7shWk94', 'current', 's1.S9RHNks/GMmhS8KJWQaqvjhBGnhgP424dSMuz4RDROwLpfs4+kuIyAtnOYKiCDAGtvT8jCjD2gVkcMXG', 1795461324554, 1795461324554, 'license');
INSERT INTO public.signing_keys VALUES ('MOkEAxVG3j7miQnaLV54ApH7R26X8Qr-RHhDVRjeUXE', 'next', 's1.KQ1VU0XodR39GvThun5KKQvYQhUETuP3AxNBhPwSCdKv9DbyMJl6HK0paxca0dl4apN4yOjEuYj3GuD7', 1795461324554, 1795461324554, 'license');
INSERT INTO public.signing_keys VALUES ('S23v75lRJi_I_NmiT0pngKxdYq-V-QrUIJemdQCZgrE', 'current', 's1.itAaGYwBsn1+MoKPcTnhx6hbfVRhYRk63eGpyTEUYaDUeRoVb4o6SywSEGzYGWtwGlyk3f/4GN+5W/bm', 1795461324558, 1795461324558, 'account');
INSERT INTO public.signing_keys VALUES ('Efub3zCMbHWzXOAQbjW9x_eI1mZllm8KhdVuXDhLUzQ', 'next', 's1.30G6bhg+TmcpilVkbh3bk8mtQTVJk/lbRyxUCYrohYhZ2kyU2MhFsbZzTONYbIFJQLHmWf0XLGKLo8Rk', 1795461324558, 1795461324558, 'account');
INSERT INTO public.signing_keys VALUES ('8na1VIOU3EJ3soMPDl7rY7zVkM7KPoSTXqTn-9ZJI28', 'current', 's1.oz3H6TqAASUpRjupX+lswzl+EBrCzhJfg0CkKLIhdW0r9sXZQsbI1sSq14kn7CLYuQ+quJHMg+bBgCOH', 1795461324567, 1795461324567, 'plugin');
INSERT INTO public.signing_keys VALUES ('rW5CJODgogYYkpZjdOGITz1tivJFnnXejoqofn4v2t8', 'next', 's1.skWyg2S0sUaSSNLc4jtQGvmbmjfhB4CEpvXLB+vMLxbu+AbamQ3rSoeKo6dip5frbRPYxfyZ5hVAKnUl', 1795461324567, 1795461324567, 'plugin');
INSERT INTO public.theme_targets VALUES ('admin', '', '', '', '', '', '');
INSERT INTO public.theme_targets VALUES ('shop', 'plain', '1.0.0', '', '', '', '');
INSERT INTO public.theme_versions VALUES ('xipghmb6v9pj2tpzlf3mdo61', 'theme-shop', 'shop', 'plain', '1.0.0', 'xipghmb6v9pj2tpzlf3mdo61', 'theme-shop/plain/1.0.0-4484b33f', '4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35', false, '', '{
  "entry": "theme.css",
  "name": "Theme plain",
  "schemaVersion": 1,
  "slug": "plain",
  "version": "1.0.0"
}', false, 1795461326816, 1795461326816, NULL);
INSERT INTO public.users VALUES ('q6i5fu4o8orkymke3rumruzb', 'root@example.com', 'root@example.com', 'root', 'root', '$argon2id$v=19$m=19456,t=2,p=1$bAS/cEndcTF4bGyz8VsEjQ$KeD0ovlKY8UPG/10QGhZcZNoK5XzS4a0Qv6Y5AZ1I2g', 'ADMIN', '', '', true, 1795461324807);
INSERT INTO public.users VALUES ('x63iy43yivrwenz1otuaygzp', 'owner@example.com', 'owner@example.com', 'owner', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$aKq0xECJKP+lnOWa4WQ+TA$lewI08SOfrJK1MIOFnX5RoODeqSE5I8USZnLWYfCPvc', 'USER', '', '', true, 1795461325016);
INSERT INTO public.webhooks VALUES ('sqve7sg1dttrqc7flrqe8m0n', 'https://hooks.example.com/stoa', '["order.*"]', true, '', NULL, 's1.Jxqx8I4pawR00bCBJoM2KN0x1reI+ch0AXXFCd+66E0RmR57ttwP/ElN665qMX03B5jwd1l53ckNWxi9', '', NULL, 1795461325532, 1795461325532);
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
