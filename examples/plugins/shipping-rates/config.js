// readConfig returns the instance's configuration with defaults. It throws an error
// that says what is wrong with an invalid one.
export function readConfig ({ originCountry, currency, baseRate, freeFrom, carrierApiKey }) {
  if (!/^[A-Z]{2}$/.test(originCountry ?? '')) throw new Error('originCountry must be a two-letter country code, such as DE')
  if (!/^[A-Z]{3}$/.test(currency ?? '')) throw new Error('currency must be a three-letter currency code, such as EUR')
  const base = Number(baseRate)
  if (!(base > 0)) throw new Error('baseRate must be a price above zero')
  if (typeof carrierApiKey !== 'string' || carrierApiKey.length < 8) throw new Error('carrierApiKey must have at least 8 characters')
  return { originCountry, currency, baseRate: base, freeFrom: Number(freeFrom) || Infinity, carrierApiKey }
}
