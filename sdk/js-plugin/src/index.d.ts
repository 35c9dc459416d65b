/**
 * For external plugins of stoa: Express, Fastify, and plain `http`. Internal plugins use
 * `stoa-plugin/internal`.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyConfig, Context, EventHandlers, Export, Hook, HookName, Seen } from './context.js';

export * from './context.js';
export * from './platform.js';
export * from './shop.js';

export interface PluginOptions<Config> {
  /** The package's signing secret: `GET /api/v1/admin/plugins/{slug}/secret`. */
  readonly secret: string | undefined;
  /** The secret before the last rotation, if requests signed with it may still arrive. */
  readonly previousSecret?: string | undefined;
  /**
   * Accepts bodies over 1 MiB, of which the platform signs the headers only. Anybody on
   * the network between it and the plugin can change them, unless the connection is
   * HTTPS. By default they are refused with 413.
   */
  readonly unsignedBodies?: boolean | undefined;
  /** Called for `POST /__lifecycle/{hook}`. A hook without a handler succeeds. */
  readonly hooks?: {
    readonly [Name in HookName]?: (hook: Hook<Config>, context: Context<Config>) => unknown;
  } | undefined;
  /** Called for events that the manifest subscribes to, whatever its `events.path` is. */
  readonly events?: EventHandlers<Context<Config>> | undefined;
  /**
   * What the plugin knows about a user, for the copy of their data: anything that JSON can
   * say. Called if the manifest says `"export": true`. Nothing means that it knows nothing.
   */
  readonly export?: Export<Context<Config>> | undefined;
  /** By default, the last 10,000 deliveries are remembered until the process ends. */
  readonly seen?: Seen | undefined;
  /** Gets the errors of hooks, events and `http` handlers. By default, console.error. */
  readonly onError?: ((err: unknown) => void) | undefined;
  /** The clock in milliseconds; Date.now by default. */
  readonly now?: (() => number) | undefined;
  /** For calls of the platform API. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds for each call of the platform API; 10,000 by default. */
  readonly platformTimeout?: number | undefined;
}

/** A request of Node.js, Express or Fastify. */
export type AnyRequest = IncomingMessage | { readonly raw: IncomingMessage };

export interface Plugin<Config = AnyConfig> {
  /**
   * Middleware for Express: refuses what the platform did not send, answers hooks and
   * events, and passes on the rest. Put it before express.json(); behind it, use
   * `express.json({ verify: keepRawBody })`. It may be mounted under a path.
   */
  express(): (req: IncomingMessage, res: ServerResponse, next: (err?: unknown) => void) => Promise<void>;
  /** The same as a plugin for Fastify, for the scope that registers it and those within. */
  fastify(): (app: any, options?: {
    /** `events.path` of the manifest, for which Fastify needs a route. */
    readonly eventsPath?: string | undefined;
  }) => Promise<void>;
  /** The same as a listener for http.createServer. An error in `handle` answers 500. */
  http(handle: (req: IncomingMessage, res: ServerResponse, context: Context<Config>) => unknown):
    (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  /** The context of a request that one of the above let pass. */
  context(request: AnyRequest): Context<Config>;
  /**
   * Checks a request and returns its context, for other frameworks. The body can be read
   * afterwards as usual. Throws NotFromPlatform.
   */
  verify(request: AnyRequest): Promise<Context<Config>>;
}

/** Throws a TypeError if there is no secret. */
export function createPlugin<Config = AnyConfig>(options: PluginOptions<Config>): Plugin<Config>;

/** A request that the platform did not send. Answer with `status`: 413 for `unsigned-body`, else 401. */
export class NotFromPlatform extends Error {
  readonly name: 'NotFromPlatform';
  readonly reason: 'missing' | 'malformed' | 'clock' | 'mismatch' | 'unsigned-body';
  readonly status: 401 | 413;
}

/**
 * For body parsers that run before stoa-plugin: `express.json({ verify: keepRawBody })`.
 * It cannot keep compressed bodies, because parsers hand them over unpacked.
 */
export function keepRawBody(req: IncomingMessage, res: ServerResponse, body: Buffer): void;

export interface TestRequest {
  /** The secret that the plugin under test has. */
  readonly secret: string;
  /** Signs as the platform does for a day after a rotation. */
  readonly previousSecret?: string;
  readonly method?: string;
  /** Path and query; `/` by default. */
  readonly path?: string;
  /** Anything but text and a Buffer is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string | undefined };
  /** Who calls, for which installation: a guest at a test installation by default. */
  readonly context?: Partial<Omit<Context, 'can' | 'platform'>> & {
    readonly platformBaseURL?: string;
    readonly platformToken?: string;
  };
  /** Makes it the delivery of a hook or an event. */
  readonly hook?: { readonly id?: string; readonly attempt?: number };
  /** Milliseconds; Date.now() by default. */
  readonly now?: number;
}

/**
 * A signed request for tests of a plugin: pass it to Fastify's `inject`, or as
 * `fetch(base + request.url, request)`.
 */
export function signedRequest(request: TestRequest): {
  method: any; // a string to fetch, one of a list to inject
  url: string;
  headers: Record<string, string>;
  /** The body twice, as fetch and inject call it. */
  body?: Buffer<ArrayBuffer>;
  payload?: Buffer<ArrayBuffer>;
};
