import type { Platform } from './platform.js';

/** A config of which nothing is known. `stoa-plugin types manifest.json` prints a better type. */
export interface AnyConfig {
  readonly [key: string]: any;
}

/** Who calls, for which installation. The platform vouches for all of it. */
export interface Context<Config = AnyConfig> {
  readonly slug: string;
  /** Identifies the tenant: keep the data of installations apart by it. */
  readonly installationId: string;
  /** A label, which can be changed. */
  readonly installationKey: string;
  readonly config: Config;
  /** The permissions in effect: granted and still declared. */
  readonly permissions: readonly string[];
  can(permission: string): boolean;
  /** The license with which the shop runs the plugin; null if it needs none. stoa enforces it: no code has to. */
  readonly license: PackageLicense | null;
  /**
   * null for guests and services. `impersonator` is who of the staff acts as the user, by id; absent where users call
   * themselves. Keep both ids with what you record of the call.
   */
  readonly user: { readonly id: string; readonly role: 'customer' | 'admin'; readonly impersonator?: string } | null;
  readonly role: 'guest' | 'customer' | 'admin';
  /** The route and the caller: `api-internal` is a service. */
  readonly caller: 'shop' | 'admin' | 'api-internal' | 'theme-app' | 'unknown';
  /** The language that the client prefers, such as `de-CH`. */
  readonly locale: string;
  readonly requestId: string;
  /** The client's address, and how it reached stoa. */
  readonly client: { readonly ip: string; readonly protocol: string; readonly host: string };
  readonly platformId: string;
  readonly platformVersion: string;
  /** The platform API, as this installation. Use it while you answer this request. */
  readonly platform: Platform;
}

/** The license of a package that came from a market. */
export interface PackageLicense {
  /** In `lapsed` only hooks arrive. */
  readonly state: 'trial' | 'valid' | 'grace' | 'lapsed';
  /** The id of the tier. */
  readonly tier: string;
  /** null if they are too long for a header: `platform.license()` has them. */
  readonly features: readonly string[] | null;
  /** The end of the license; null if it has none. */
  readonly expiresAt: Date | null;
  readonly trial: boolean;
}

export type HookName = 'onInstall' | 'onEnable' | 'onDisable' | 'onUninstall' | 'onUpgrade';

/** A lifecycle hook. It may arrive again under the same id, after a failure or a lost answer. */
export interface Hook<Config = AnyConfig> {
  readonly name: HookName;
  /** `x-hook-id`, the same for all attempts. */
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  readonly installationId: string;
  readonly pluginSlug: string;
  readonly instanceKey: string;
  /** The config at the time of the change. It may be incomplete. */
  readonly config: Partial<Config>;
  /** With `onUpgrade`. */
  readonly previousVersion?: string;
  /** With `onDisable` and `onEnable`, if the license of the package has lapsed or holds again. */
  readonly reason?: 'license';
}

/** Answers what the plugin knows about a user, within 10 seconds and at most 10 MiB. It may throw. */
export type Export<Context> = (user: { readonly userId: string }, context: Context) => unknown;

/** What happened in the shop. It may arrive again under the same id. */
export interface Event<Data = { readonly [name: string]: any }> {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly data: Data;
  /** `x-hook-id` of the delivery. */
  readonly hookId: string;
  /** From 1. */
  readonly attempt: number;
}

/** `data` of the shop's own events. */
export interface EventData {
  'user.registered': { readonly userId: string };
  'user.email_verified': { readonly userId: string };
  'user.email_changed': { readonly userId: string };
  'user.role_changed': { readonly userId: string };
  'user.deleted': { readonly userId: string };
  'order.paid': OrderEventData & {
    /** Absent without a discount code. */
    readonly discount?: { readonly code: string; readonly amount: number; readonly currency: string };
  };
  'order.refunded': OrderEventData;
  'order.partly_refunded': OrderEventData & { amount: number; currency: string };
  'order.cancelled': OrderEventData;
  'license.issued': LicenseEventData;
  'license.activated': LicenseEventData;
  'license.deactivated': LicenseEventData;
  'license.revoked': LicenseEventData;
  'license.renewed': LicenseEventData;
  'license.changed': LicenseEventData;
  'license.expired': LicenseEventData;
  'trial.started': OrderEventData;
  'trial.ended': LicenseEventData;
  'extension.installed': { readonly kind: string; readonly slug: string };
  'extension.upgraded': { readonly kind: string; readonly slug: string };
  'extension.uninstalled': { readonly kind: string; readonly slug: string };
  'instance.enabled': { readonly slug: string; readonly installationId: string };
  'instance.disabled': { readonly slug: string; readonly installationId: string };
}

export interface OrderEventData {
  readonly orderId: string;
  readonly licenseId: string;
  readonly productId: string;
  readonly userId?: string;
}

export interface LicenseEventData {
  readonly licenseId: string;
  readonly productId: string;
  readonly userId?: string;
}

/** Handlers by type. `order.*` stands for all types that begin with `order.`, `*` for all. */
export type EventHandlers<Context extends unknown> =
  { readonly [Type in keyof EventData]?: (event: Event<EventData[Type]>, context: Context) => unknown } &
  { readonly [pattern: string]: ((event: Event<any>, context: Context) => unknown) | undefined };

/** Remembers the deliveries that succeeded, so that none is handled twice. */
export interface Seen {
  has(id: string): boolean | Promise<boolean>;
  add(id: string): unknown;
}

/** Thrown by a handler, it says what stoa should do. Any other error means: try again as scheduled. */
export class HookFailed extends Error {
  constructor(message: string, options?: {
    /** Seconds before the next attempt. */
    readonly retryAfter?: number | undefined;
    /** Ends the attempts. */
    readonly stop?: boolean | undefined;
    readonly cause?: unknown;
  });
  readonly name: 'HookFailed';
  readonly retryAfter: number | undefined;
  readonly stop: boolean;
}
