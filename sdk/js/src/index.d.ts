/** Public licence keys, made by parseKeys. */
export interface Keys {
  readonly size: number;
  has(id: string): boolean;
  verify(id: string, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

export type ErrorCode =
  | 'keys' | 'invalid' | 'unknown_key' | 'product' | 'instance' | 'issuer' | 'clock'
  | 'unsigned' | 'refused' | 'api' | 'unreachable' | 'no_lease' | 'store';

export class LicenseError extends Error {
  readonly code: ErrorCode;
  /** Of refused: not_found, revoked, expired, not_activated or unpaid. Of api: the API's error code. */
  readonly reason?: string;
  /** Of api: the HTTP status. */
  readonly status?: number;
  /** A warning: the store failed as well. */
  storeError?: LicenseError;
}

/** Reads the answer of GET /api/marketplace/license-keys (object or text), or PEM. */
export function parseKeys(input: string | { keys: unknown[] }): Promise<Keys>;

export interface Lease {
  issuer: string;
  licenseId: string;
  productId: string;
  product: string;
  instance: string;
  features: string[];
  licenseType: string;
  licenseExpiresAt: Date | null;
  issuedAt: Date;
  expiresAt: Date;
  graceUntil: Date;
  nonce: string;
}

export interface Result {
  state: 'valid' | 'grace' | 'expired';
  /** valid or grace: the app may go on. */
  usable: boolean;
  lease: Lease;
  /** Keep it, and give it to the next call. */
  lastSeen: Date;
}

export interface VerifyOptions {
  keys: Keys;
  product: string;
  instance: string;
  issuer?: string;
  now?: Date;
  lastSeen?: Date;
}

/** Milliseconds a clock may be behind before it counts as set back. */
export const CLOCK_TOLERANCE: number;
export function normalInstance(id: string): string;
export function parseLease(raw: string, keys: Keys): Promise<Lease>;
export function verifyLease(raw: string, options: VerifyOptions): Promise<Result>;

export interface Answer {
  method: string;
  url: string | URL;
  status: number;
  headers: Headers | Record<string, string>;
  body: string | Uint8Array;
}

/** Resolves to when the answer was made, by the vendor's clock. */
export function verifyAnswer(keys: Keys, answer: Answer, nonce?: string): Promise<Date>;

export interface Store {
  load(): Promise<string | null>;
  save(text: string): Promise<void>;
}

export function memoryStore(): Store;
export function webStore(storage: { getItem(name: string): string | null; setItem(name: string, value: string): void }, name?: string): Store;

export interface License {
  id: string;
  productId: string;
  licenseKey: string;
  type: string;
  status: string;
  features: string[];
  maxInstances: number;
  currentInstances: number;
  expiresAt?: string;
  createdAt: string;
}

export interface ClientOptions {
  baseURL: string;
  product: string;
  licenseKey: string;
  instance: string;
  keys: Keys;
  store?: Store;
  fetch?: typeof globalThis.fetch;
  now?: () => Date;
}

export interface Stored extends Result {
  /** A warning: the store failed, and what was learned may be forgotten when the program ends. */
  storeError?: LicenseError;
}

export class Client {
  constructor(options: ClientOptions);
  activate(): Promise<License>;
  deactivate(): Promise<License>;
  verify(): Promise<License>;
  renew(): Promise<Stored>;
  offline(): Promise<Stored>;
  check(): Promise<Stored & { online: boolean; cause?: unknown }>;
}
