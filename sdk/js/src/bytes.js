const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export const utf8 = (text) => encoder.encode(text);

// text decodes UTF-8. It throws for invalid bytes.
export const text = (bytes) => decoder.decode(bytes);

// fromBase64 accepts only the canonical encoding of the bytes. It returns null for
// any other text.
export function fromBase64(s) {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(s)) return null;
  const binary = atob(s);
  if (btoa(binary) !== s) return null;
  return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}

export function fromBase64url(s) {
  if (!/^[A-Za-z0-9_-]*$/.test(s)) return null;
  const plain = s.replaceAll('-', '+').replaceAll('_', '/');
  return fromBase64(plain + '='.repeat((4 - (plain.length % 4)) % 4));
}

export const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes));

export const toBase64url = (bytes) => toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}
