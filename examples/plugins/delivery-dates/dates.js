// Days are counted in UTC, as milliseconds at their midnight.
const DAY = 24 * 60 * 60 * 1000
const MAX_TRANSIT = 30

// readCalendar returns the calendar of an instance. It throws what the administrator has to mend.
export function readCalendar ({ cutoff = 14, transit = 2, holidays = '' }) {
  if (!Number.isInteger(cutoff) || cutoff < 0 || cutoff > 23) throw new Error('cutoff must be an hour from 0 to 23')
  if (!Number.isInteger(transit) || transit < 1 || transit > MAX_TRANSIT) {
    throw new Error(`transit must be a number of days from 1 to ${MAX_TRANSIT}`)
  }
  const closed = new Set()
  for (const text of holidays.split(',').map((day) => day.trim()).filter(Boolean)) {
    const day = readDay(text)
    if (day === undefined) throw new Error(`holidays: ${text} is no date such as 2030-12-25`)
    closed.add(day)
  }
  return { cutoff, transit, closed }
}

// readDay returns the day of a date such as 2030-12-25; undefined for all else.
export function readDay (text) {
  const day = Date.parse(`${text}T00:00:00Z`)
  return dayText(day) === text ? day : undefined
}

// deliveryOf returns when an order that is placed at a time leaves the warehouse, and when it arrives.
export function deliveryOf (calendar, placed) {
  const today = Math.floor(placed / DAY) * DAY
  const late = new Date(placed).getUTCHours() >= calendar.cutoff
  const ships = workingDay(calendar, late ? today + DAY : today)
  let arrives = ships
  for (let days = 0; days < calendar.transit; days++) arrives = workingDay(calendar, arrives + DAY)
  return { ships: dayText(ships), arrives: dayText(arrives) }
}

// workingDay returns the first working day from a day on.
function workingDay ({ closed }, day) {
  while (isWeekend(day) || closed.has(day)) day += DAY
  return day
}

function isWeekend (day) {
  const weekday = new Date(day).getUTCDay()
  return weekday === 0 || weekday === 6
}

function dayText (at) {
  return Number.isNaN(at) ? '' : new Date(at).toISOString().slice(0, 10)
}
