import { services, zoneOf } from './rates.js'
import { readConfig } from './config.js'
import { seal, open } from './token.js'

const VALID_FOR_MS = 30 * 60 * 1000

const quoteQuery = {
  type: 'object',
  required: ['country', 'weight'],
  properties: {
    country: { type: 'string', pattern: '^[A-Za-z]{2}$' },
    weight: { type: 'number', exclusiveMinimum: 0, maximum: 31.5 },
    subtotal: { type: 'number', minimum: 0, default: 0 }
  }
}

const verifyBody = {
  type: 'object',
  required: ['token'],
  properties: { token: { type: 'string', maxLength: 4096 } }
}

// The options are the instance's configuration. If this throws, a badly configured
// instance does not start, and the administrator finds the message in the log.
export default async function shippingRates (app, options) {
  const config = readConfig(options)

  app.get('/api/quote', { schema: { querystring: quoteQuery } }, async (request) => {
    const { weight, subtotal } = request.query
    const country = request.query.country.toUpperCase()
    const quote = {
      from: config.originCountry,
      to: country,
      zone: zoneOf(config.originCountry, country),
      weight,
      currency: config.currency,
      services: services(config, country, weight, subtotal),
      validUntil: new Date(Date.now() + VALID_FOR_MS).toISOString()
    }
    return { ...quote, token: seal(config.carrierApiKey, quote) }
  })

  // The checkout sends the token back, so that nobody can pay an invented price.
  app.post('/api/quote/verify', { schema: { body: verifyBody } }, async (request) => {
    const quote = open(config.carrierApiKey, request.body.token)
    if (quote === undefined) return { valid: false, reason: 'forged' }
    if (Date.parse(quote.validUntil) < Date.now()) return { valid: false, reason: 'expired' }
    return { valid: true, quote }
  })
}
