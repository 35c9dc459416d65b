'use strict'

// The pages. html escapes every value, so that what comes from the catalog stays text.

const { STOA_THEME_CONFIG } = process.env
const config = JSON.parse(STOA_THEME_CONFIG)

class Safe extends String {}

const escaped = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function html (parts, ...values) {
  const text = (value) => {
    if (Array.isArray(value)) return value.map(text).join('')
    return value instanceof Safe ? String(value) : String(value ?? '').replace(/[&<>"']/g, (c) => escaped[c])
  }
  return new Safe(parts.reduce((all, part, i) => all + text(values[i - 1]) + part))
}

// layout is a whole page. base comes before every address.
function layout (base, visitor, heading, body) {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${heading} – ${config.title}</title>
<link rel="stylesheet" href="${base}/style.css">
<style>:root { --accent: ${/^#[0-9a-f]{3,8}$/i.test(config.accentColor) ? config.accentColor : '#333'} }</style>
<header><a href="${base}/">${config.title}</a>
${visitor.token
    ? html`<nav><a href="${base}/licenses">My licenses</a>
<form method="post" action="${base}/sign-out"><button>Sign out</button></form></nav>`
    : html`<nav><a href="${base}/sign-in">Sign in</a></nav>`}
</header>
<main><h1>${heading}</h1>
${body}
</main>
</html>
`
}

const price = (tier) => Number(tier.price) === 0 ? 'Free' : `${tier.price} ${tier.currency}`

module.exports = {
  layout,

  list: (base, products) => html`<ul>${products.map((p) => html`
<li><h2><a href="${base}/products/${p.slug}">${p.name}</a></h2><p>${p.shortDescription}</p></li>`)}</ul>`,

  product: (base, p, key) => html`<p>${p.description}</p>
<ul>${p.pricingTiers.map((tier) => html`
<li><h2>${tier.name}</h2><p>${tier.description} ${price(tier)}</p>
<form method="post" action="${base}/products/${p.slug}/buy">
<input type="hidden" name="tier" value="${tier.id}"><input type="hidden" name="key" value="${key}">
<button>Buy ${tier.name}</button></form></li>`)}</ul>`,

  bought: (order) => html`<p>Thank you. This is your license key; keep it:</p>
<p><code>${order.licenseKey}</code></p>`,

  licenses: (list) => html`<ul>${list.map((l) => html`
<li>${l.productName ?? l.productSlug}: ${l.status}</li>`)}</ul>`,

  signIn: (base) => html`<form method="post" action="${base}/sign-in">
<label>E-mail <input name="email" type="email" required></label>
<label>Password <input name="password" type="password" required></label>
<button>Sign in</button></form>`,

  problem: (text) => html`<p>${text}</p>`
}
