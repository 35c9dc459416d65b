import { licenseOf, Platform } from './platform.js';

// contextOf returns the context in the headers of a request, which must be verified.
// config is undefined where the header has only its digest.
export function contextOf(headers, options) {
  const header = (name) => headers[name] ?? '';
  const permissions = header('x-plugin-permissions').split(',').filter((name) => name !== '');
  const role = header('x-user-role') || 'guest';
  const userId = text(header('x-user-id'));
  const user = userId === '' ? null : { id: userId, role };
  const impersonator = text(header('x-user-impersonator'));
  if (user !== null && impersonator !== '') user.impersonator = impersonator;
  return {
    slug: header('x-plugin-slug'),
    installationId: header('x-installation-id'),
    installationKey: text(header('x-installation-key')),
    config: configIn(headers),
    permissions,
    can: (permission) => permissions.includes(permission),
    license: licenseIn(headers),
    user,
    role,
    caller: header('x-caller') || 'unknown',
    locale: header('x-locale'),
    requestId: header('x-request-id'),
    client: {
      ip: header('x-forwarded-for'), protocol: header('x-forwarded-proto'), host: header('x-forwarded-host'),
    },
    platformId: header('x-platform-id'),
    platformVersion: header('x-platform-version'),
    platform: new Platform({
      baseURL: header('x-platform-api-base-url'), token: header('x-platform-token'), ...options,
    }),
  };
}

// text decodes a value beyond ASCII: Node.js reads header bytes as Latin-1.
function text(value) {
  return Buffer.from(value, 'latin1').toString();
}

function configIn(headers) {
  const encoded = headers['x-plugin-config'];
  if (encoded === undefined) return headers['x-plugin-config-digest'] === undefined ? {} : undefined;
  return JSON.parse(Buffer.from(encoded, 'base64url').toString());
}

// licenseIn returns the license of the package, or null: most packages have none.
function licenseIn(headers) {
  const encoded = headers['x-plugin-license'];
  return encoded === undefined ? null : licenseOf(JSON.parse(Buffer.from(encoded, 'base64url').toString()));
}

// Configs remembers configs that are too large for a header, the last hundred of them.
export class Configs {
  #known = new Map();

  // fill fetches the config of a context if the headers have its digest only. The platform has only the present config,
  // which may be a later one: that serves this call, and is not remembered as what it is not.
  async fill(context, digest) {
    if (context.config !== undefined) return;
    const key = `${context.installationId} ${digest}`;
    context.config = this.#known.get(key);
    if (context.config === undefined) {
      const present = await context.platform.digestedConfig();
      context.config = present.config;
      if (present.digest !== digest) return;
    }
    this.#known.delete(key);
    this.#known.set(key, context.config);
    if (this.#known.size > 100) this.#known.delete(this.#known.keys().next().value);
  }
}
