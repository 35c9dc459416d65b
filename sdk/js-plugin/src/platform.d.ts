import type { PackageLicense } from './context.js';
import type {
  License, LicenseStatus, Order, OrderStatus, Page, PageQuery, Product, ProductDetail, User,
} from './shop.js';

/** What stoa answered instead of what was asked for. */
export class PlatformError extends Error {
  readonly name: 'PlatformError';
  readonly status: number;
  /** `PERMISSION_NOT_GRANTED`, `RATE_LIMIT_EXCEEDED`, `PRECONDITION_FAILED`, `STORAGE_QUOTA_EXCEEDED`, … */
  readonly code: string;
  readonly details: { readonly [name: string]: unknown } | undefined;
  /** Seconds to wait, after 429. */
  readonly retryAfter: number | undefined;
}

export interface PlatformOptions {
  /** `x-platform-api-base-url`. */
  readonly baseURL: string;
  /**
   * `x-platform-token` of a recent request, or what returns a token: before each call, and
   * again with the token that stoa refused. The token of a request with `x-user-impersonator` is
   * for that call only.
   */
  readonly token: string | ((refused?: string) => string | Promise<string>);
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds for each call; 10,000 by default. */
  readonly timeout?: number | undefined;
}

/** A list and single entries of the shop's data. `get` answers null if there is no such entry. */
export interface Collection<Item, Query, Detail = Item> {
  list(query?: Query): Promise<Page<Item>>;
  get(id: string): Promise<Detail | null>;
}

/**
 * The platform API for one installation. The token of a request lives ten minutes, that of
 * a hook ten seconds, so use the client at hand. Every call throws PlatformError if stoa refuses it, and the
 * errors of fetch if there is no answer.
 */
export class Platform {
  constructor(options: PlatformOptions);

  /** The instance's config as it is now. */
  config<Config = { readonly [key: string]: unknown }>(): Promise<Config>;
  /** The license with which the shop runs the plugin, with all its features; null if it needs none. */
  license(): Promise<PackageLicense | null>;
  /** Needs `products:read`. `get` takes a slug. */
  readonly products: Collection<Product, PageQuery & {
    readonly category?: string; readonly q?: string; readonly featured?: boolean; readonly trending?: boolean;
    readonly sort?: 'featured' | 'newest' | 'rating' | 'downloads' | 'price' | 'name';
    /** The language of their texts (BCP 47). */
    readonly lang?: string;
  }, ProductDetail>;
  /** Needs `orders:read`. */
  readonly orders: Collection<Order, PageQuery & {
    readonly status?: OrderStatus; readonly product?: string; readonly user?: string;
  }>;
  /** Needs `licenses:read`. */
  readonly licenses: Collection<License, PageQuery & {
    readonly status?: LicenseStatus; readonly product?: string; readonly user?: string;
  }>;
  /** Needs `users:read`. */
  readonly users: Collection<User, PageQuery>;
  readonly storage: Storage;
  readonly events: {
    /** Publishes an event; its type begins with the plugin's slug and a dot. Needs `events:publish`. */
    publish(type: string, data?: { readonly [key: string]: unknown }): Promise<{ readonly id: string }>;
  };
}

export interface Stored {
  readonly key: string;
  readonly size: number;
  /** With its quotes, as `ifMatch` takes it. */
  readonly etag: string;
  readonly expiresAt?: string;
  /** Who of the staff wrote it as which user; absent unless they did. */
  readonly by?: { readonly userId: string; readonly impersonatorId: string };
}

export interface StoredValue {
  readonly value: Buffer;
  readonly etag: string;
  readonly contentType: string;
  text(): string;
  json<T = unknown>(): T;
}

export interface PutOptions {
  /** Seconds until the value is gone; without it, the value stays. */
  readonly ttl?: number | undefined;
  /** Replaces only the value that has this ETag. Otherwise PlatformError `PRECONDITION_FAILED` (412). */
  readonly ifMatch?: string | undefined;
  /** Writes only where nothing is stored. Otherwise PlatformError `PRECONDITION_FAILED` (412). */
  readonly ifAbsent?: boolean | undefined;
  readonly contentType?: string | undefined;
}

/**
 * Values of this installation, which no other one sees. Reading needs `storage:read`,
 * writing `storage:write`. A key has 1 to 512 bytes, a value up to 1 MiB.
 */
export interface Storage {
  /** null if nothing is stored. */
  get(key: string): Promise<StoredValue | null>;
  getJSON<T = unknown>(key: string): Promise<T | null>;
  put(key: string, value: string | Uint8Array, options?: PutOptions): Promise<Stored & { readonly created: boolean }>;
  putJSON(key: string, value: unknown, options?: PutOptions): Promise<Stored & { readonly created: boolean }>;
  /** Succeeds if nothing is stored. */
  delete(key: string, options?: { readonly ifMatch?: string | undefined }): Promise<void>;
  /** One page of keys, in the order of their bytes. */
  list(query?: { readonly prefix?: string; readonly cursor?: string; readonly limit?: number }):
    Promise<{ readonly items: readonly Stored[]; readonly nextCursor?: string }>;
  /** All keys with a prefix, page by page. */
  keys(prefix?: string): AsyncIterableIterator<Stored>;
  /**
   * Changes a JSON value by compare-and-swap and returns it: if another request wrote in
   * between, `change` is called again with the new value, up to 20 times. Then it throws
   * `PRECONDITION_FAILED`. `change` gets undefined if nothing is stored; if it returns
   * undefined, nothing is written. Without `ttl`, the new value stays.
   */
  update<T>(
    key: string, change: (value: T | undefined) => T | undefined | Promise<T | undefined>,
    options?: { readonly ttl?: number | undefined },
  ): Promise<T | undefined>;
}
