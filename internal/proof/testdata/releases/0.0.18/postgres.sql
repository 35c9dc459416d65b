-- {"licenseKey":"STOA-JJ0KH-CKD0G-EF3SQ-60QHW-9FEBW-G9XZP","rows":{"audit_log":12,"bundle_items":1,"bundles":1,"deliveries":2,"delivery_attempts":2,"delivery_queues":1,"events":20,"idempotency_keys":1,"license_instances":2,"license_renewals":1,"licenses":4,"mail_allowances":1,"order_claims":1,"orders":4,"password_resets":1,"payment_events":1,"plugin_failures":1,"plugin_generation":1,"plugin_instances":3,"plugin_packages":2,"plugin_previous_versions":1,"plugin_remains":0,"plugin_secrets":2,"plugin_storage":1,"plugin_storage_use":1,"product_counts":1,"product_packages":1,"products":1,"receipts":4,"reviews":1,"sessions":2,"settings":3,"signing_keys":4,"theme_targets":2,"theme_versions":1,"users":2,"webhooks":1}}
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
    due_ms bigint
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
    subscribes boolean DEFAULT false NOT NULL
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
CREATE TABLE public.signing_keys (
    id text NOT NULL,
    stage text NOT NULL,
    sealed text NOT NULL,
    created_at_ms bigint NOT NULL,
    stage_since_ms bigint NOT NULL,
    purpose text DEFAULT 'account'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT signing_keys_purpose_check CHECK ((purpose = ANY (ARRAY['account'::text, 'license'::text]))),
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
    email_key text NOT NULL,
    username text NOT NULL,
    username_key text NOT NULL,
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
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (1, 'mrzv2by7pd02cynads0c3kfn', 1795368555960, 'cli', 'root', '', 'product.create', 'product', 'llc89oz7xmen8n5jana39olb', '', '', '{"published":true,"slug":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (2, 'h45pjtu4e6a2at6xv6rhztc5', 1795368555960, 'cli', 'root', '', 'catalog.import', 'catalog', '', '', '', '{"created":1,"unchanged":0,"updated":0}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (3, 'fpk3c5kxlzsu8xs1j9fovo9d', 1795368556155, 'system', '', '', 'user.create', 'user', 'vlk4eo7t2ou8kicirg3fksc9', '', '', '{"email":"root@example.com","role":"ADMIN"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (4, 'q5m3tkpnzr9ffnvxzonpkut5', 1795368556658, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'order.refund', 'order', 'vk9t6oir4dj2jyelwziddf6w', '127.0.0.1', '01a2044e-186c-7505-91e9-c204c0a9fc04', '{"amount":90,"currency":"EUR","licenseId":"yfmril5gczitsi4uzs25wb2a","product":"app"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (5, 'vnzfpz0km4jh50j4o6q56pkx', 1795368556678, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'webhook.create', 'webhook', 's7o0vxy1py9e7qr4w3glzbce', '127.0.0.1', '01a2044e-187f-797e-9d0c-3bacbf53a6ec', '{"enabled":true,"events":["order.*"],"host":"hooks.example.com"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (6, 'nfbzzmps431rr3uu72301q1h', 1795368557232, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'plugin.install', 'plugin', 'greeter', '127.0.0.1', '01a2044e-1887-7c7f-82b6-32edc6189d67', '{"installationId":"5a855306-b9f2-4019-800b-0af4c71deb05","permissions":["storage.read","storage.write","events.publish"],"runtimeType":"internal-fastify","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"0edf98b7c5c011b50b52ea7782de2ef81d1412dcae7f1725c07db820c30550ae"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (7, 'irqolbre3bqkizplnb2ukhj7', 1795368557745, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'plugin.upgrade', 'plugin', 'greeter', '127.0.0.1', '01a2044e-1ab9-72e8-96f8-15382bb03107', '{"addedPermissions":[],"previousVersion":"1.0.0","signedBy":"","source":"local-zip","version":"1.1.0","zipHash":"62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (8, 'i5id12n694c1jmd47bmafo70', 1795368557753, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'instance.create', 'instance', '88038783-0fc9-4f5b-8c4c-cbf809757a1e', '127.0.0.1', '01a2044e-1cb7-7af0-b094-824d9ff878a1', '{"enabled":true,"grantedPermissions":["storage.read","storage.write","events.publish"],"instanceKey":"second","slug":"greeter"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (9, 'oltts1dzb8onxrko1hh3e2n3', 1795368557757, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'plugin.update', 'plugin', 'greeter', '127.0.0.1', '01a2044e-1cbc-70c5-a0b3-34642c8ebc19', '{"settings":["environment"]}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (10, 'hcymyp03qf8e71tz7xwu6q6v', 1795368557779, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'plugin.install', 'plugin', 'hooked', '127.0.0.1', '01a2044e-1cbe-75a7-881b-3a35faa763dc', '{"installationId":"5b728199-6df3-466a-8e23-149e84d0d6fe","permissions":[],"runtimeType":"external-http","signedBy":"","source":"local-zip","version":"1.0.0","zipHash":"a9d7958a9f1818cc62b0bc88528da67e641c2d5b8fe5a76a045e53214b26a23d"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (11, 'co5v3rj8qmtdk7a7nbcoc76d', 1795368558158, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'theme.install', 'theme-shop', 'plain', '127.0.0.1', '01a2044e-1e3e-7531-9fa9-1ebb0883c380', '{"version":"1.0.0","zipHash":"4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35"}');
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES (12, 'xgzgux7eesy2whr58cghv9cj', 1795368558175, 'user', 'vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'theme.activate', 'theme', 'shop', '127.0.0.1', '01a2044e-1e5d-77c3-acdb-0c36cfddf60e', '{"previousTheme":"built-in","theme":"plain 1.0.0"}');
INSERT INTO public.bundle_items VALUES ('starter', 0, 'plugin', 'greeter', '1.1.0', 'installed', 'p1', false, false);
INSERT INTO public.bundles VALUES ('starter', 'b1', 'r1', 'hash', false, '', '{"slug":"starter","version":"1.0.0"}', 1700000000000, 1700000000000);
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (1, '01a2044e-1ccf-7817-b085-6469cede4c73', 'plugins:5b728199-6df3-466a-8e23-149e84d0d6fe', 'plugins', 'hook', '5b728199-6df3-466a-8e23-149e84d0d6fe', 'hooked', 'onInstall', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'dttiilwvrbypy3q447oksbve', 'delivered', 1, 1, NULL, 1795368557775, 1795368557797);
INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES (2, '01a2044e-1ccf-78c2-9ff5-4ebffdcf2d94', 'plugins:5b728199-6df3-466a-8e23-149e84d0d6fe', 'plugins', 'hook', '5b728199-6df3-466a-8e23-149e84d0d6fe', 'hooked', 'onEnable', '', '{"pluginSlug":"hooked","instanceKey":"default","version":1,"granted":[]}', 'dttiilwvrbypy3q447oksbve', 'delivered', 1, 1, NULL, 1795368557775, 1795368557801);
INSERT INTO public.delivery_attempts VALUES ('01a2044e-1ccf-7817-b085-6469cede4c73', 1, 1795368557787, 10262, 204, '', '');
INSERT INTO public.delivery_attempts VALUES ('01a2044e-1ccf-78c2-9ff5-4ebffdcf2d94', 1, 1795368557797, 3615, 204, '', '');
INSERT INTO public.delivery_queues VALUES ('plugins:5b728199-6df3-466a-8e23-149e84d0d6fe', 'plugins', '', NULL);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (1, '01a2044e-181e-7337-aa56-de510430683f', 'user.registered', 1795368556574, '{"userId":"q3ou3ildm3bt8lmx8rn58p27"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (2, '01a2044e-185e-7097-b1a4-42d49fe3a41b', 'order.paid', 1795368556638, '{"userId":"q3ou3ildm3bt8lmx8rn58p27","orderId":"tp3ajahshkxl85qmnip3jqmi","licenseId":"f0txbcpyryw5gjva5w9k4obc","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (3, '01a2044e-185e-70a5-a5ac-d716db6110bf', 'license.issued', 1795368556638, '{"userId":"q3ou3ildm3bt8lmx8rn58p27","licenseId":"f0txbcpyryw5gjva5w9k4obc","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (4, '01a2044e-1865-79be-a18d-89b43b51a9d7', 'license.activated', 1795368556644, '{"userId":"q3ou3ildm3bt8lmx8rn58p27","licenseId":"f0txbcpyryw5gjva5w9k4obc","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (5, '01a2044e-1868-718c-964a-092af95a0708', 'license.activated', 1795368556647, '{"userId":"q3ou3ildm3bt8lmx8rn58p27","licenseId":"f0txbcpyryw5gjva5w9k4obc","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (6, '01a2044e-186b-7473-a082-4d2d5c96fab2', 'order.paid', 1795368556651, '{"userId":"q3ou3ildm3bt8lmx8rn58p27","orderId":"vk9t6oir4dj2jyelwziddf6w","licenseId":"yfmril5gczitsi4uzs25wb2a","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (7, '01a2044e-186b-747c-9172-9bd241a3de9c', 'license.issued', 1795368556651, '{"userId":"q3ou3ildm3bt8lmx8rn58p27","licenseId":"yfmril5gczitsi4uzs25wb2a","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (8, '01a2044e-1871-77b3-ae25-81af3f80062d', 'order.refunded', 1795368556657, '{"userId":"q3ou3ildm3bt8lmx8rn58p27","orderId":"vk9t6oir4dj2jyelwziddf6w","licenseId":"yfmril5gczitsi4uzs25wb2a","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (9, '01a2044e-1872-7176-80b4-97d519c893e1', 'license.revoked', 1795368556658, '{"userId":"q3ou3ildm3bt8lmx8rn58p27","licenseId":"yfmril5gczitsi4uzs25wb2a","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (10, '01a2044e-1874-7934-a970-ed7d1fcd0bd9', 'order.paid', 1795368556660, '{"orderId":"nkdmdlzojs6m0vrz0htuw843","licenseId":"noa1yw8fzz2qhm9o2cqpbg8f","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (11, '01a2044e-1874-793e-875e-b791fdee3338', 'license.issued', 1795368556660, '{"licenseId":"noa1yw8fzz2qhm9o2cqpbg8f","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (12, '01a2044e-1879-79fe-9c86-8db85bdcb14d', 'order.paid', 1795368556665, '{"orderId":"jrbm0qdmg5752dumgo6u1fsx","licenseId":"f9kthhzmawi7uck82h40x8fi","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (13, '01a2044e-1879-7a06-8066-452363ab2b90', 'license.issued', 1795368556665, '{"licenseId":"f9kthhzmawi7uck82h40x8fi","productId":"llc89oz7xmen8n5jana39olb"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (14, '01a2044e-1aad-7ce0-8870-b0e5fbd97499', 'extension.installed', 1795368557229, '{"kind":"plugin","slug":"greeter"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (15, '01a2044e-1aad-7cf5-bab9-fc0029dc6fad', 'instance.enabled', 1795368557229, '{"slug":"greeter","installationId":"5a855306-b9f2-4019-800b-0af4c71deb05"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (16, '01a2044e-1cb1-72e2-8ab5-35787298967e', 'extension.upgraded', 1795368557745, '{"kind":"plugin","slug":"greeter"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (17, '01a2044e-1cb9-777f-b48e-116bdff6be1b', 'instance.enabled', 1795368557753, '{"slug":"greeter","installationId":"88038783-0fc9-4f5b-8c4c-cbf809757a1e"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (18, '01a2044e-1ccf-780a-ba47-ad4c4198a9d3', 'extension.installed', 1795368557775, '{"kind":"plugin","slug":"hooked"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (19, '01a2044e-1ccf-78cd-9dd4-b57d9669817a', 'instance.enabled', 1795368557775, '{"slug":"hooked","installationId":"5b728199-6df3-466a-8e23-149e84d0d6fe"}', true);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (20, '01a2044e-1e4e-78cd-8f09-1972a05b5b7a', 'extension.installed', 1795368558158, '{"kind":"theme-shop","slug":"plain"}', true);
INSERT INTO public.goose_db_version VALUES (1, 0, true, '2026-11-22 17:29:15.687561');
INSERT INTO public.goose_db_version VALUES (2, 1, true, '2026-11-22 17:29:15.709957');
INSERT INTO public.goose_db_version VALUES (3, 2, true, '2026-11-22 17:29:15.716322');
INSERT INTO public.goose_db_version VALUES (4, 3, true, '2026-11-22 17:29:15.72827');
INSERT INTO public.goose_db_version VALUES (5, 4, true, '2026-11-22 17:29:15.756256');
INSERT INTO public.goose_db_version VALUES (6, 6, true, '2026-11-22 17:29:15.769765');
INSERT INTO public.goose_db_version VALUES (7, 7, true, '2026-11-22 17:29:15.779789');
INSERT INTO public.goose_db_version VALUES (8, 8, true, '2026-11-22 17:29:15.800223');
INSERT INTO public.goose_db_version VALUES (9, 9, true, '2026-11-22 17:29:15.806346');
INSERT INTO public.goose_db_version VALUES (10, 10, true, '2026-11-22 17:29:15.816359');
INSERT INTO public.goose_db_version VALUES (11, 11, true, '2026-11-22 17:29:15.82765');
INSERT INTO public.goose_db_version VALUES (12, 12, true, '2026-11-22 17:29:15.844373');
INSERT INTO public.goose_db_version VALUES (13, 13, true, '2026-11-22 17:29:15.850711');
INSERT INTO public.goose_db_version VALUES (14, 14, true, '2026-11-22 17:29:15.853654');
INSERT INTO public.goose_db_version VALUES (15, 15, true, '2026-11-22 17:29:15.855413');
INSERT INTO public.goose_db_version VALUES (16, 16, true, '2026-11-22 17:29:15.859574');
INSERT INTO public.goose_db_version VALUES (17, 17, true, '2026-11-22 17:29:15.860075');
INSERT INTO public.goose_db_version VALUES (18, 18, true, '2026-11-22 17:29:15.86129');
INSERT INTO public.goose_db_version VALUES (19, 19, true, '2026-11-22 17:29:15.864455');
INSERT INTO public.goose_db_version VALUES (20, 20, true, '2026-11-22 17:29:15.865706');
INSERT INTO public.goose_db_version VALUES (21, 21, true, '2026-11-22 17:29:15.866743');
INSERT INTO public.goose_db_version VALUES (22, 22, true, '2026-11-22 17:29:15.86714');
INSERT INTO public.goose_db_version VALUES (23, 24, true, '2026-11-22 17:29:15.868517');
INSERT INTO public.goose_db_version VALUES (24, 25, true, '2026-11-22 17:29:15.871421');
INSERT INTO public.goose_db_version VALUES (25, 26, true, '2026-11-22 17:29:15.875466');
INSERT INTO public.goose_db_version VALUES (26, 29, true, '2026-11-22 17:29:15.881615');
INSERT INTO public.goose_db_version VALUES (27, 30, true, '2026-11-22 17:29:15.887247');
INSERT INTO public.goose_db_version VALUES (28, 31, true, '2026-11-22 17:29:15.887536');
INSERT INTO public.goose_db_version VALUES (29, 33, true, '2026-11-22 17:29:15.889798');
INSERT INTO public.goose_db_version VALUES (30, 34, true, '2026-11-22 17:29:15.907246');
INSERT INTO public.goose_db_version VALUES (31, 35, true, '2026-11-22 17:29:15.910212');
INSERT INTO public.goose_db_version VALUES (32, 36, true, '2026-11-22 17:29:15.9125');
INSERT INTO public.goose_db_version VALUES (33, 37, true, '2026-11-22 17:29:15.913547');
INSERT INTO public.idempotency_keys VALUES ('a8b11a870d91fa31af57ce601dbfdecbd114f8b61da0a2bc8558194e77ece388', 'c75b5c9a75b7bbb6b9d9dff162302ca913fd48738941e3e266d89a3262b86965', 'jrbm0qdmg5752dumgo6u1fsx', 'ic28ee3wo8yi9v9j7kx9oda3', 1, 1795368566661, 's1./LSlBFFHsdwy+2pjvebKcEmjwhZ7mjBdqtJFwI+f5Z3capcuPK3Uw/NyT33Y3AGrwMF1weRVzqU/H61Tr62SDS3XJMIdagJm0kwiuL1JMm5eGKytvi9IWYZ3KAhke2ftMwU/EbCY/sa5OGCB0UKleLuNyMC66klv1cns3dDOc0j4sXj/REtyDjesbeBZmK1LdeIB+ygkE0lOtaTRbxfapRf8KEfA+Pwa9OZiKJxfMlOyBQqsAj9m63f0v2A4DqjrUv+U8bjFYjFghXnLXy+Nvu9wI3Os6Kkn9+2dHAR9xSYmfFWOC7XdZT8LVD5z0yvu927LinTBI1NZBZy4mryEucjjauusTKGE8DqbqvSF5BJ84HlTlrCi4LNc9T6DCubtmeoqOa1QaAYRnvD1TuwPd4fnMJe+zY2bZMcDQonrgpeIKUNv2Hgx8opRbqdcuny5W+0dRPGITxYojBCoq3dkRYguuD8faEU+eK4qntA5zg', 1795454956661);
INSERT INTO public.license_instances VALUES ('f0txbcpyryw5gjva5w9k4obc', 'shop.example.com', 1795368556644, false, '');
INSERT INTO public.license_instances VALUES ('f0txbcpyryw5gjva5w9k4obc', 'dev.shop.example.com', 1795368556647, true, 'shop.example.com');
INSERT INTO public.license_renewals VALUES ('f0txbcpyryw5gjva5w9k4obc', 'in_1', 1700000000000);
INSERT INTO public.licenses VALUES ('f0txbcpyryw5gjva5w9k4obc', 'llc89oz7xmen8n5jana39olb', 'seats-3', 'q3ou3ildm3bt8lmx8rn58p27', 'a4b41d59e73eb917735d95344292a1f8530ca644116f7a83c3c1674248a6b5ca', 's1.F10SPA5ih2dWXefrgJdl6rlwdGT4yfvB1Nc9728vx6+W9zd1kYRxyyYCkrKFngwfPUGFMTgyuM8nvrk0JS20xqk6Cj8', 'perpetual', '[]', 3, true, NULL, NULL, 1795368556635, 0, NULL, 0, 1, 1, 1795372876644, 1, 'G9XZP', 0);
INSERT INTO public.licenses VALUES ('yfmril5gczitsi4uzs25wb2a', 'llc89oz7xmen8n5jana39olb', 'many', 'q3ou3ildm3bt8lmx8rn58p27', 'c52477d27d8262342ed0090251f13e45d02531c6929df480b82121752e05496c', 's1.1I2UA/yujsBpOG4rU7Bdx7UaCGN8cKLXyBCcTn1kMMCN42TmlCm7tetoBamBLfapqh6h8LzjwhQj4rk1ClMsSF3Cngk', 'perpetual', '[]', 10000, true, NULL, 1795368556657, 1795368556649, 0, NULL, 0, 0, 0, NULL, 2, 'PG9FV', 0);
INSERT INTO public.licenses VALUES ('noa1yw8fzz2qhm9o2cqpbg8f', 'llc89oz7xmen8n5jana39olb', 'seats-1', 'anonymous', 'b857d2018db2a138f909b7ed2c2b1912c1a4ec68a7ff33224b551d8cf2004c0a', 's1.b8w1qrytrZyH7lurBkBbcHqyNPtR38dpAUniWLBc850uMjt6zXeuq4gHiPFbKEnWtjTPyfqoFK9l3okKswv/7ZY5I4w', 'perpetual', '[]', 1, true, NULL, NULL, 1795368556659, 0, NULL, 0, 0, 0, NULL, 1, 'ZK2BD', 0);
INSERT INTO public.licenses VALUES ('f9kthhzmawi7uck82h40x8fi', 'llc89oz7xmen8n5jana39olb', 'seats-2', 'anonymous', '517d34ac4c67060bb8f5c3a710f50ded4d48df030206a786b9275823c08fbf64', 's1.Wbj6S/aCOmajOrbeyH5Ell18kvIG7sC5rEQA+nZJqtpfNdGwcFb9MBqMIShbWftb8LIYBKOZkqp0OmaymP9I2XO8/YU', 'perpetual', '[]', 2, true, NULL, NULL, 1795368556664, 0, NULL, 0, 0, 0, NULL, 1, '4XMQK', 0);
INSERT INTO public.mail_allowances VALUES ('receipt:paid:buyer@example.com', 1795372156641);
INSERT INTO public.order_claims VALUES ('hash', 'q3ou3ildm3bt8lmx8rn58p27', 'owner@example.com', 1700000000000);
INSERT INTO public.orders VALUES ('tp3ajahshkxl85qmnip3jqmi', 'llc89oz7xmen8n5jana39olb', 'seats-3', 'q3ou3ildm3bt8lmx8rn58p27', 'card', '{"email":"buyer@example.com"}', 3000, 'EUR', 'paid', 'f0txbcpyryw5gjva5w9k4obc', 1795368556635, '', 'test', '', '', '', '', '', 1795368556635, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('vk9t6oir4dj2jyelwziddf6w', 'llc89oz7xmen8n5jana39olb', 'many', 'q3ou3ildm3bt8lmx8rn58p27', 'card', '{"email":"buyer@example.com"}', 9000, 'EUR', 'refunded', 'yfmril5gczitsi4uzs25wb2a', 1795368556649, '', 'test', '', '', '', '', '', 1795368556649, 1795368556657, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('nkdmdlzojs6m0vrz0htuw843', 'llc89oz7xmen8n5jana39olb', 'seats-1', 'anonymous', 'card', '{"email":"buyer@example.com"}', 1000, 'EUR', 'paid', 'noa1yw8fzz2qhm9o2cqpbg8f', 1795368556659, '', 'test', '', '', '', '', '', 1795368556659, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.orders VALUES ('jrbm0qdmg5752dumgo6u1fsx', 'llc89oz7xmen8n5jana39olb', 'seats-2', 'anonymous', 'card', '{"email":"buyer@example.com"}', 2000, 'EUR', 'paid', 'f9kthhzmawi7uck82h40x8fi', 1795368556664, '', 'test', '', '', '', '', '', 1795368556664, NULL, NULL, 'buyer@example.com', 0, NULL, NULL, 0);
INSERT INTO public.password_resets VALUES ('01beca3f51d71489d97694546ab22df4d33be2acb8b7b422f19ab6578d4ff5a1', 'q3ou3ildm3bt8lmx8rn58p27', true, 1795368556675);
INSERT INTO public.payment_events VALUES ('stripe', 'evt_1', 'charge.refunded', 'jrbm0qdmg5752dumgo6u1fsx', 1700000000000);
INSERT INTO public.plugin_failures VALUES ('5a855306-b9f2-4019-800b-0af4c71deb05', 1, 'hash', 1700000000000, 'out of memory', 'index.js', 1);
INSERT INTO public.plugin_generation VALUES (1, 6);
INSERT INTO public.plugin_instances VALUES ('5a855306-b9f2-4019-800b-0af4c71deb05', 'greeter', 'default', true, '', '["storage.read","storage.write","events.publish"]', 1, 1795368556701, 1795368556701, NULL);
INSERT INTO public.plugin_instances VALUES ('88038783-0fc9-4f5b-8c4c-cbf809757a1e', 'greeter', 'second', true, 's1.MagLQmnvuHnYzgT83hBJoNPR+Ro+IH+/64ZvvSsU6rEBMcPHel/YK5H1aFryokZ4', '["storage.read","storage.write","events.publish"]', 1, 1795368557753, 1795368557753, NULL);
INSERT INTO public.plugin_instances VALUES ('5b728199-6df3-466a-8e23-149e84d0d6fe', 'hooked', 'default', true, '', '[]', 1, 1795368557775, 1795368557775, NULL);
INSERT INTO public.plugin_packages VALUES ('afa4ijqf9ku62qejnv2a3mjk', 'greeter', 'local-zip', 'plugins/greeter/1.1.0-62b4be94', '62b4be94426627a6f253e3be58a264408885473079058f3d39a82d196a3f0074', '{
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
}', 1795368556701, 1795368557257, NULL, '{}', 's1.WL8wQmDavWEtElJqzSPgPJeJTWYPfKYktU/E2It0Yb7AHVSYDfERidy/2lWq', false, 1, 'j2oajtenq7z4zmsqdk9eeoh6', '', false, false);
INSERT INTO public.plugin_packages VALUES ('dttiilwvrbypy3q447oksbve', 'hooked', 'local-zip', 'plugins/hooked/1.0.0-a9d7958a', 'a9d7958a9f1818cc62b0bc88528da67e641c2d5b8fe5a76a045e53214b26a23d', '{
  "externalBaseUrl": "http://127.0.0.1:38939",
  "lifecycle": {
    "onEnable": true,
    "onInstall": true
  },
  "name": "Hooked",
  "runtimeType": "external-http",
  "schemaVersion": 1,
  "slug": "hooked",
  "version": "1.0.0"
}', 1795368557775, 1795368557775, NULL, '{}', '', false, 0, '', '', false, false);
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
INSERT INTO public.plugin_secrets VALUES ('greeter', 's1.doGOSFxTKe242RT5JKiMhTyg/4MO5iBCExrBbKqWxciYqlVqCI2OqqNelWe2D9r+uZVaY6y/+i1GBf6UOB05mQCF1+krs8E', '', NULL);
INSERT INTO public.plugin_secrets VALUES ('hooked', 's1.sYcjqbwUl4WOIq+ui/RIwEA32M/9CC2nYCXibOpjM9LdcmAfMaoL6ilhN+pHM95d93SKCMHVy0O2Mn2ufdHyoCS5Kx1S9v4', '', NULL);
INSERT INTO public.plugin_storage VALUES ('5a855306-b9f2-4019-800b-0af4c71deb05', '\x68656c6c6f', 'text/plain', '"1"', 5, NULL, '\x68656c6c6f');
INSERT INTO public.plugin_storage_use VALUES ('5a855306-b9f2-4019-800b-0af4c71deb05', 1, 10);
INSERT INTO public.product_counts VALUES (true, 'apps', 1);
INSERT INTO public.product_packages VALUES ('plugin', 'sold', '1.0.0', 'llc89oz7xmen8n5jana39olb', 'packages/plugin/sold/1.0.0.zip', 'hash', 'acme', 1234, 1700000000000, NULL);
INSERT INTO public.products VALUES ('llc89oz7xmen8n5jana39olb', 'app', 'App', 'app', 'app
app
apps
an app.
an app.', 'An app.', 'An app.', 'https://cdn.example.com/app.svg', 'apps', '[]', '[]', 'paid', 1000, 'EUR', 100000, 5, 1, 1000, 1004, false, false, true, '{"fullDescription":"An app.","features":null,"tiers":[{"id":"seats-1","name":"One","description":"","priceMinor":1000,"currency":"EUR","features":null,"maxInstances":1},{"id":"seats-2","name":"Two","description":"","priceMinor":2000,"currency":"EUR","features":null,"maxInstances":2},{"id":"seats-3","name":"Three","description":"","priceMinor":3000,"currency":"EUR","features":null,"maxInstances":3},{"id":"seats-4","name":"Four","description":"","priceMinor":4000,"currency":"EUR","features":null,"maxInstances":4},{"id":"many","name":"Many","description":"","priceMinor":9000,"currency":"EUR","features":null,"maxInstances":10000}],"faq":null}', 1795368555960, 1795368555960, 0, 1, 0, 0, 5, 1);
INSERT INTO public.receipts VALUES ('tp3ajahshkxl85qmnip3jqmi', 'sent', 1, '', NULL, 1795368556637, 1795368556641);
INSERT INTO public.receipts VALUES ('vk9t6oir4dj2jyelwziddf6w', 'sent', 1, '', NULL, 1795368556650, 1795368556654);
INSERT INTO public.receipts VALUES ('nkdmdlzojs6m0vrz0htuw843', 'sent', 1, '', NULL, 1795368556660, 1795368556663);
INSERT INTO public.receipts VALUES ('jrbm0qdmg5752dumgo6u1fsx', 'sent', 1, '', NULL, 1795368556665, 1795368556673);
INSERT INTO public.reviews VALUES ('rq4tt1dnrt6cinvpb4ix0a6k', 'llc89oz7xmen8n5jana39olb', 'q3ou3ildm3bt8lmx8rn58p27', 5, 'Good', '', false, 1795368556668, 1795368556668);
INSERT INTO public.sessions VALUES ('r2iw7vuz7glk2met313iz65v', 'q3ou3ildm3bt8lmx8rn58p27', 'm45oz2tyr1hx71dnjazdju0f', 'SpYucbF4UhdFqZu2YknT_z7YvHbLP2ZCk5I0Fy7vW4M', 1795368556000, '[]', 1795368556537, 1797960556000);
INSERT INTO public.sessions VALUES ('xiht9jcnmfcd66hs6cxdczty', 'vlk4eo7t2ou8kicirg3fksc9', 'hz7acqc4zf4qixppinu5um3i', 'SpYucbF4UhdFqZu2YknT_z7YvHbLP2ZCk5I0Fy7vW4M', 1795368556000, '[]', 1795368556630, 1797960556000);
INSERT INTO public.settings VALUES ('migrated_by', '0.1.0-dev');
INSERT INTO public.settings VALUES ('master_key_check', 's1.A8YL88/MJp8YmR1e30qcx24l59Sf8UwlAEy6VyG9ZZ7fzesjbOEk7cL8X44');
INSERT INTO public.settings VALUES ('platform_id', '39fc31c0-78e1-4afc-971e-34d2654076ee');
INSERT INTO public.signing_keys VALUES ('ovPh_z6_DSjW05Hx75fS7xTbCEL4D-OS-TS0Xsnmx98', 'current', 's1./v8xOgy4J8rLErULzjaPeGrJpd+BXtO7be+QE9LB8/hqtHUPzfl41rt/HN1VjnhE74K8SSjpW4cAIWxm', 1795368555954, 1795368555954, 'license');
INSERT INTO public.signing_keys VALUES ('94PM_mFgxY3rI4tMIGVB0yfkd0_vfcnlibD3AcSPPpM', 'next', 's1.KD79h4JcnWzz9IExq0rQ7bzTyhCylvoI/kFehRbi4lUjeGwvWBSrCPSpghd6PZrEj/cdZlMJGomyypmt', 1795368555954, 1795368555954, 'license');
INSERT INTO public.signing_keys VALUES ('SpYucbF4UhdFqZu2YknT_z7YvHbLP2ZCk5I0Fy7vW4M', 'current', 's1.xKkxPxNXqEMxDEym+d6Ze6CRkva8orw7TFixIxF3/3TsI3oo21ldCEHmRRJ8JseaBjNcKkis0jXjRpJj', 1795368555956, 1795368555956, 'account');
INSERT INTO public.signing_keys VALUES ('F6n8tZ6-EPOJLP0yVvoGGylln1E_AyFw1L4JnYpqUD8', 'next', 's1.BEX+0O0qRHiiQybiOPa8f3K1kH4rikKFbxeNECVTclpBgd5KAMwk1AlZkzS6TjqTK1WY4LUBs72WdaRm', 1795368555956, 1795368555956, 'account');
INSERT INTO public.theme_targets VALUES ('admin', '', '', '', '', '', '');
INSERT INTO public.theme_targets VALUES ('shop', 'plain', '1.0.0', '', '', '', '');
INSERT INTO public.theme_versions VALUES ('dwpf8xm2x3zrimisc3sr9bap', 'theme-shop', 'shop', 'plain', '1.0.0', 'dwpf8xm2x3zrimisc3sr9bap', 'theme-shop/plain/1.0.0-4484b33f', '4484b33f2a14aeb35f1148c5cdfeaf381816fd005aa5dc52723f991946af0d35', false, '', '{
  "entry": "theme.css",
  "name": "Theme plain",
  "schemaVersion": 1,
  "slug": "plain",
  "version": "1.0.0"
}', false, 1795368558157, 1795368558157, NULL);
INSERT INTO public.users VALUES ('vlk4eo7t2ou8kicirg3fksc9', 'root@example.com', 'root@example.com', 'root', 'root', '$argon2id$v=19$m=19456,t=2,p=1$Z7FzDYk9E/u/Bc2RMwgwTw$GVYFR/5Z6UlyDHPNjIxDYqsondRhBClSOpiWINiOr2U', 'ADMIN', '', '', true, 1795368556152);
INSERT INTO public.users VALUES ('q3ou3ildm3bt8lmx8rn58p27', 'owner@example.com', 'owner@example.com', 'owner', 'owner', '$argon2id$v=19$m=19456,t=2,p=1$g4qf//YKG8UwxNnYngeiWg$qd0oH9VqoqwZo5uDrWfENnYfIOoSu8zB68eCw0BS/Rk', 'USER', '', '', true, 1795368556537);
INSERT INTO public.webhooks VALUES ('s7o0vxy1py9e7qr4w3glzbce', 'https://hooks.example.com/stoa', '["order.*"]', true, '', NULL, 's1.jE1dBJrCmJOB8EfF2MluJLd7+YomaZtbhM52CSs5kNOA8SQcTKgtZEy1qbb0GzD3OtAidbTAnhMzIq3J', '', NULL, 1795368556677, 1795368556677);
SELECT pg_catalog.setval('public.audit_log_seq_seq', 12, true);
SELECT pg_catalog.setval('public.deliveries_seq_seq', 2, true);
SELECT pg_catalog.setval('public.events_seq_seq', 20, true);
SELECT pg_catalog.setval('public.goose_db_version_id_seq', 33, true);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_id_key UNIQUE (id);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (seq);
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
ALTER TABLE ONLY public.plugin_failures
    ADD CONSTRAINT plugin_failures_pkey PRIMARY KEY (installation_id);
ALTER TABLE ONLY public.plugin_generation
    ADD CONSTRAINT plugin_generation_pkey PRIMARY KEY (id);
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
CREATE INDEX deliveries_due ON public.deliveries USING btree (queue, due_ms) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_event ON public.deliveries USING btree (event_id, target) WHERE (event_id <> ''::text);
CREATE INDEX deliveries_keeps ON public.deliveries USING btree (keeps) WHERE ((state = 'waiting'::text) AND (keeps <> ''::text));
CREATE INDEX deliveries_owner ON public.deliveries USING btree (owner, seq);
CREATE INDEX deliveries_target ON public.deliveries USING btree (target, seq);
CREATE INDEX deliveries_trouble ON public.deliveries USING btree (target, seq) WHERE ((kind = 'hook'::text) AND (state <> 'delivered'::text));
CREATE INDEX deliveries_waiting ON public.deliveries USING btree (queue, seq) WHERE (state = 'waiting'::text);
CREATE INDEX delivery_queues_due ON public.delivery_queues USING btree (lane, due_ms) WHERE (due_ms IS NOT NULL);
CREATE INDEX events_age ON public.events USING btree (occurred_at_ms);
CREATE INDEX events_fresh ON public.events USING btree (seq) WHERE (NOT spread);
CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at_ms);
CREATE INDEX license_instances_staging ON public.license_instances USING btree (license_id, staging_of) WHERE (staging_of <> ''::text);
CREATE INDEX licenses_created ON public.licenses USING btree (created_at_ms DESC, id);
CREATE INDEX licenses_key_tail ON public.licenses USING btree (key_tail);
CREATE INDEX licenses_product ON public.licenses USING btree (product_id, created_at_ms DESC, id);
CREATE INDEX licenses_user ON public.licenses USING btree (user_id, created_at_ms DESC, id);
CREATE INDEX mail_allowances_until ON public.mail_allowances USING btree (until_ms);
CREATE INDEX order_claims_age ON public.order_claims USING btree (created_at_ms);
CREATE INDEX order_claims_user ON public.order_claims USING btree (user_id);
CREATE INDEX orders_created ON public.orders USING btree (created_at_ms DESC, id);
CREATE INDEX orders_end_due ON public.orders USING btree (id) WHERE ((payment_subscription <> ''::text) AND (subscription_ended_at_ms IS NULL) AND ((cancelled_at_ms IS NOT NULL) OR (refunded_at_ms IS NOT NULL)));
CREATE INDEX orders_payment ON public.orders USING btree (payment_id) WHERE (payment_id <> ''::text);
CREATE INDEX orders_product ON public.orders USING btree (product_id, created_at_ms DESC, id);
CREATE INDEX orders_refund_due ON public.orders USING btree (id) WHERE ((cancelled_at_ms IS NOT NULL) AND (paid_at_ms IS NOT NULL) AND (refunded_at_ms IS NULL));
CREATE INDEX orders_status ON public.orders USING btree (status, created_at_ms DESC, id);
CREATE INDEX orders_subscription ON public.orders USING btree (payment_subscription) WHERE (payment_subscription <> ''::text);
CREATE INDEX orders_unclaimed ON public.orders USING btree (billing_email_key) WHERE (user_id = 'anonymous'::text);
CREATE INDEX orders_user ON public.orders USING btree (user_id, created_at_ms DESC, id);
CREATE INDEX password_resets_age ON public.password_resets USING btree (created_at_ms);
CREATE INDEX password_resets_user ON public.password_resets USING btree (user_id, created_at_ms);
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
ALTER TABLE ONLY public.plugin_failures
    ADD CONSTRAINT plugin_failures_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.plugin_instances(id) ON DELETE CASCADE;
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
