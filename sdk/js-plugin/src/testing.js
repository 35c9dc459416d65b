import { randomUUID } from 'node:crypto';
import { bodyHash, ofPlatform, sign } from './signature.js';

// signedRequest is documented in index.d.ts.
export function signedRequest({
  secret, previousSecret, method = 'GET', path = '/', body, headers = {}, context = {}, hook, now = Date.now(),
}) {
  if (!secret) throw new TypeError('signedRequest needs the secret that the plugin under test has.');
  const isText = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  const bytes = Buffer.from(isText ? body ?? '' : JSON.stringify(body));
  const sent = {
    ...(!isText && { 'content-type': 'application/json' }),
    ...platformHeaders(context, hook),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    'x-platform-timestamp': now,
  };
  for (const name in sent) {
    if (sent[name] === undefined) delete sent[name];
    else sent[name] = Buffer.from(String(sent[name])).toString('latin1'); // bytes, as on the wire
  }
  const message = {
    timestamp: sent['x-platform-timestamp'], method, target: path, hash: bodyHash(bytes),
    headers: Object.entries(sent).filter(([name]) => ofPlatform(name)),
  };
  sent['x-platform-signature'] = [secret, previousSecret].filter(Boolean)
    .map((key) => `v1=${sign(key, message).toString('hex')}`).join(',');
  return { method, url: path, headers: sent, ...(body !== undefined && { body: bytes, payload: bytes }) };
}

function platformHeaders(context, hook) {
  const { user = null, installationId = '00000000-0000-4000-8000-000000000001' } = context;
  return {
    'x-plugin-slug': context.slug ?? 'test',
    'x-installation-id': installationId,
    'x-installation-key': context.installationKey ?? 'default',
    'x-tenant-id': installationId,
    'x-plugin-config': Buffer.from(JSON.stringify(context.config ?? {})).toString('base64url'),
    'x-plugin-license': context.license ? Buffer.from(JSON.stringify(context.license)).toString('base64url') : undefined,
    'x-plugin-permissions': (context.permissions ?? []).join(','),
    'x-user-id': user?.id ?? '',
    'x-user-impersonator': user?.impersonator,
    'x-user-role': user?.role ?? context.role ?? 'guest',
    'x-caller': context.caller ?? (hook ? 'api-internal' : 'shop'),
    'x-locale': context.locale ?? 'en',
    'x-request-id': context.requestId ?? randomUUID(),
    'x-forwarded-for': context.client?.ip ?? '127.0.0.1',
    'x-forwarded-proto': context.client?.protocol ?? 'http',
    'x-forwarded-host': context.client?.host ?? 'localhost',
    'x-platform-id': context.platformId ?? 'test-platform',
    'x-platform-version': context.platformVersion ?? '1.0.0',
    'x-platform-api-base-url': context.platformBaseURL ?? 'http://127.0.0.1:9',
    'x-platform-token': context.platformToken ?? 'test-token',
    ...(hook && { 'x-hook-id': hook.id ?? randomUUID(), 'x-hook-attempt': String(hook.attempt ?? 1) }),
  };
}
