const neighbours = {
  DE: ['AT', 'BE', 'CH', 'CZ', 'DK', 'FR', 'LU', 'NL', 'PL'],
  AT: ['CH', 'CZ', 'DE', 'HU', 'IT', 'LI', 'SI', 'SK'],
  FR: ['BE', 'CH', 'DE', 'ES', 'IT', 'LU', 'MC'],
  NL: ['BE', 'DE'],
  GB: ['IE'],
  US: ['CA', 'MX']
}

const europe = new Set(['AT', 'BE', 'BG', 'CH', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GB', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT', 'LU', 'LV', 'MT', 'NL', 'NO', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'])

// For each zone: factor of the base rate, price of each further kilogram as a share
// of the base rate, days in transit.
const zones = {
  domestic: { factor: 1, perKg: 0.15, days: [1, 3] },
  neighbour: { factor: 1.8, perKg: 0.25, days: [2, 5] },
  continent: { factor: 2.6, perKg: 0.4, days: [3, 7] },
  world: { factor: 4.5, perKg: 0.9, days: [6, 14] }
}

export function zoneOf (from, to) {
  if (from === to) return 'domestic'
  if (neighbours[from]?.includes(to)) return 'neighbour'
  return europe.has(from) && europe.has(to) ? 'continent' : 'world'
}

// services returns the services for a parcel, with prices rounded to cents.
export function services ({ originCountry, baseRate, freeFrom }, country, weight, subtotal) {
  const zone = zoneOf(originCountry, country)
  const { factor, perKg, days } = zones[zone]
  const furtherKg = Math.max(0, Math.ceil(weight) - 1)
  const standard = baseRate * factor + baseRate * perKg * furtherKg
  const free = zone === 'domestic' && subtotal >= freeFrom
  return [
    { id: 'standard', name: 'Standard', price: free ? 0 : cents(standard), days },
    { id: 'express', name: 'Express', price: cents(standard * 1.9 + 2), days: [1, Math.ceil(days[1] / 3)] }
  ]
}

function cents (price) {
  return Math.round(price * 100) / 100
}
