/**
 * License checks for apps that are sold through stoa. The declarations need neither
 * the DOM library nor @types/node.
 */

import type { LicenseError } from './error.js';

export * from './error.js';

/** Public license keys. parseKeys makes them. */
export interface Keys {
  readonly size: number;
  has(id: string): boolean;
  verify(id: string, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

/**
 * Reads public license keys: the answer of GET /api/marketplace/license-keys (object
 * or text), or PEM. Keys in the answer that are not Ed25519 are skipped. Throws `keys`
 * when no key is left, or when a kid is not the key's RFC 7638 thumbprint.
 */
export function parseKeys(input: string | { readonly keys: readonly unknown[] }): Promise<Keys>;

// Leases

export type LicenseType = 'perpetual' | 'subscription';
export type LicenseStatus = 'active' | 'expired' | 'revoked';

/**
 * - `valid`: keep running;
 * - `grace`: keep running, and tell the user to go online;
 * - `expired`: stop.
 */
export type LeaseState = 'valid' | 'grace' | 'expired';

/** The content of a lease. */
export interface Lease {
  issuer: string;
  licenseId: string;
  productId: string;
  /** The product's slug. */
  product: string;
  instance: string;
  /** True for a development instance, which takes no seat. */
  development: boolean;
  features: string[];
  /** Empty if the lease does not say. */
  licenseType: LicenseType | '';
  /** null if the license never expires. */
  licenseExpiresAt: Date | null;
  issuedAt: Date;
  expiresAt: Date;
  graceUntil: Date;
  nonce: string;
}

export interface Result {
  state: LeaseState;
  /** True in the states valid and grace: the app may keep running. */
  usable: boolean;
  lease: Lease;
  /** The latest time known to have passed. Keep it and pass it to the next call. */
  lastSeen: Date;
}

export interface VerifyOptions {
  keys: Keys;
  /** The product's slug. */
  product: string;
  /** This installation, as activated. */
  instance: string;
  /** Public URL of the shop. By default any shop that has the key is accepted. */
  issuer?: string | undefined;
  /** Default: the current time. */
  now?: Date | undefined;
  /** The lastSeen of the previous result: a clock before it counts as set back. */
  lastSeen?: Date | undefined;
}

/** How many milliseconds the clock may be behind the latest known time before it counts as set back. */
export const CLOCK_TOLERANCE: number;

/** Returns an instance id as stoa stores it: trimmed, in lower case. */
export function normalInstance(id: string): string;

/**
 * Verifies the signature of a lease. Checks neither times nor whom the lease is for.
 * Throws `invalid` or `unknown_key`.
 */
export function parseLease(raw: string, keys: Keys): Promise<Lease>;

/**
 * Verifies a lease offline. An expired lease is no error: its state is `expired`.
 * Throws `invalid`, `unknown_key`, `product`, `instance`, `issuer` or `clock`.
 */
export function verifyLease(raw: string, options: VerifyOptions): Promise<Result>;

// Signed answers

/** An HTTP answer together with the request it belongs to. */
export interface Answer {
  method: string;
  /** As requested: a text or a URL. */
  url: string | { readonly href: string };
  status: number;
  /** Headers, or an object. */
  headers: { get(name: string): string | null } | { readonly [name: string]: string };
  body: string | Uint8Array;
}

/**
 * Checks the signature (RFC 9421) of an answer to license/verify or license/lease, and
 * resolves to when it was made, by the vendor's clock. nonce is the nonce of the
 * request, made up for that request: it stops replays. Throws `unsigned`: treat the
 * answer as none.
 */
export function verifyAnswer(keys: Keys, answer: Answer, nonce?: string): Promise<Date>;

// The client

/** Keeps the state of a client. A client makes one call at a time. */
export interface Store {
  /** Resolves to the text saved last, or null. */
  load(): Promise<string | null>;
  save(text: string): Promise<void>;
}

/** Keeps the lease until the program ends. */
export function memoryStore(): Store;

/** Keeps the lease in a Storage of the browser, such as localStorage. */
export function webStore(
  storage: { getItem(name: string): string | null; setItem(name: string, value: string): void },
  name?: string,
): Store;

/** A license as the shop shows it. Times are in the form of RFC 3339. */
export interface License {
  id: string;
  productId: string;
  licenseKey: string;
  type: LicenseType;
  status: LicenseStatus;
  features: string[];
  maxInstances: number;
  currentInstances: number;
  /** Missing if the license never expires. */
  expiresAt?: string;
  createdAt: string;
  /** True if this instance is a development instance, which takes no seat. */
  development: boolean;
}

/** What the client needs of fetch. globalThis.fetch has it. */
export type Fetch = (url: string, init: FetchOptions) => Promise<FetchResponse>;

export interface FetchOptions {
  method: 'GET' | 'POST';
  headers?: { [name: string]: string };
  body?: string;
  cache: 'no-store';
  credentials: 'omit';
  redirect: 'error';
  /** An AbortSignal. */
  signal: any;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** A ReadableStream, or null. */
  readonly body?: unknown;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface ClientOptions {
  /** The shop's own address, such as https://shop.example.com. Redirects are not followed. */
  baseURL: string;
  /** The product's slug. */
  product: string;
  /** As the customer entered it. */
  licenseKey: string;
  /** Identifies this installation: a domain name, a machine id. */
  instance: string;
  /** The vendor's public keys, built into the app. */
  keys: Keys;
  /** Keeps the lease between runs. Default: memoryStore(). */
  store?: Store | undefined;
  /** Default: globalThis.fetch. */
  fetch?: Fetch | undefined;
  /** The clock. Default: the system's. */
  now?: (() => Date) | undefined;
}

export interface Stored extends Result {
  /** A warning: the store failed. The app works until it stops, but may start without a lease next time. */
  storeError?: LicenseError;
}

/** The vendor answered just now. */
export interface OnlineResult extends Stored {
  online: true;
  cause?: undefined;
}

/** The stored lease was used; cause says why. */
export interface OfflineResult extends Stored {
  online: false;
  cause: LicenseError;
}

/** Holds the license of one installation of an app. */
export class Client {
  constructor(options: ClientOptions);

  /**
   * Takes a seat of the license for this instance. May be repeated. Throws `api` when no
   * seat is free or the key is not valid, or `unreachable`.
   */
  activate(): Promise<License>;

  /**
   * Frees the seat and forgets the lease. May be repeated. Throws `api` or `unreachable`,
   * or `store` if the seat was freed but the store failed.
   */
  deactivate(): Promise<License>;

  /**
   * Asks the vendor whether the license may be used now. Throws `refused` if not, and
   * forgets the stored lease; or `unsigned`, `api` or `unreachable`.
   */
  verify(): Promise<License>;

  /** Asks the vendor for a new lease and stores it. Throws like verify and verifyLease. */
  renew(): Promise<Stored>;

  /**
   * Checks the stored lease without network. Throws `no_lease` when there is none,
   * `refused` when the vendor's last answer was a refusal, and what verifyLease throws.
   */
  offline(): Promise<Stored>;

  /**
   * Asks the vendor for a new lease. If the vendor cannot be reached, or the answer is not
   * the vendor's, falls back to the stored lease. Call it at start and once or twice a
   * day. Throws `refused` when the vendor refused and `api` when the request was wrong.
   * Otherwise it throws why no new lease came, or why the stored one does not help. An
   * expired lease is no error: look at `usable`.
   */
  check(): Promise<OnlineResult | OfflineResult>;
}
