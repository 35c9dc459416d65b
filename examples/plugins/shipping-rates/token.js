import { createHmac, timingSafeEqual } from 'node:crypto'

// seal returns a text that open turns back into value, unless it was changed.
export function seal (key, value) {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${text}.${mac(key, text)}`
}

export function open (key, token) {
  const [text, given = ''] = token.split('.')
  const expected = Buffer.from(mac(key, text))
  const actual = Buffer.from(given)
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined
  return JSON.parse(Buffer.from(text, 'base64url').toString())
}

function mac (key, text) {
  return createHmac('sha256', key).update(text).digest('base64url')
}
