/**
 * For internal plugins of stoa. The types are those of Fastify 5: install `fastify` as
 * a development dependency. Nothing of it is needed when the plugin runs.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AnyConfig, Context, EventHandlers, Export, Hook, HookName, Seen } from './context.js';
import type { Platform } from './platform.js';

export * from './context.js';
export * from './platform.js';
export * from './shop.js';

/** What an instance works with when nobody calls it: on a schedule, after a timer. */
export interface Stoa {
  readonly installationId: string;
  /**
   * The platform API as this instance. The client renews its token. It works in contained
   * processes, while the instance is enabled.
   */
  platform(): Platform;
  /** A token of at least five minutes, for calls without the client. */
  token(): Promise<string>;
}

export interface InternalPlugin<Config = AnyConfig> {
  /** Registers the plugin's routes. It runs in its own scope of a Fastify application. */
  register(app: FastifyInstance, instance: {
    readonly config: Config;
    /** The context of a request. */
    context(request: FastifyRequest): Context<Config>;
    /** The platform between calls. */
    readonly stoa: Stoa;
  }): unknown;
  /** Lifecycle hooks. Whatever they throw means: try again as scheduled. */
  readonly hooks?: {
    readonly [Name in HookName]?: (hook: Hook<Config>, context: Context<Partial<Config>>) => unknown;
  } | undefined;
  readonly events?: EventHandlers<Context<Config>> | undefined;
  /**
   * What the plugin knows about a user, for the copy of their data: anything that JSON can
   * say. Called if the manifest says `"export": true`, also while the instance is disabled
   * and `register` was not called. Nothing means that it knows nothing.
   */
  readonly export?: Export<Context<Partial<Config>>> | undefined;
  /** `events.path` of the manifest; `/events` by default. */
  readonly eventsPath?: string | undefined;
  /** By default, the last 10,000 deliveries of events are remembered until the process ends. */
  readonly seen?: Seen | undefined;
  /** Gets the errors of events. By default, console.error, which stoa logs. */
  readonly onError?: ((err: unknown) => void) | undefined;
}

/** What the entry module exports as default, or as `module.exports`. */
export function definePlugin<Config = AnyConfig>(plugin: InternalPlugin<Config>): {
  (app: FastifyInstance, config: Config): Promise<void>;
  readonly lifecycle: { readonly [name: string]: unknown };
};
