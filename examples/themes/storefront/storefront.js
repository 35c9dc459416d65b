// A storefront's part in themes: it applies the active pack and shows what plugins
// publish. Plain JavaScript, for a page on stoa's address or on one in
// STOA_CORS_ORIGINS. docs/themes.md explains it.

/** Returns the data of an answer of stoa. */
async function get(base, path, fetch) {
  const answer = await fetch(new URL(path, base));
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()).data;
}

/** Returns every entry of a list, page by page. */
async function all(base, path, fetch) {
  const items = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const data = await get(base, `${path}?limit=100&page=${page}`, fetch);
    items.push(...data.items);
    pages = data.pagination.totalPages;
  }
  return items;
}

/**
 * Applies the shop's active theme: its config as custom properties, its stylesheet after
 * all others. Returns the theme, or null while the shop shows the built-in one.
 */
export async function applyTheme(base, document, fetch) {
  const theme = await get(base, '/api/v1/shop/themes/active', fetch);
  if (!theme) return null;
  for (const [name, value] of Object.entries(theme.config)) {
    if (typeof value !== 'object') document.documentElement.style.setProperty(`--theme-${name}`, String(value));
  }
  const stylesheet = typeof theme.entry === 'string' ? theme.entry : theme.entry.tokensCSS;
  if (stylesheet) {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = new URL(theme.baseUrl + stylesheet.split('/').map(encodeURIComponent).join('/'), base).href;
    document.head.append(link);
  }
  return theme;
}

/** Returns what a block or an embed shows, or null if it has no data or the plugin fails. */
async function dataOf(base, extension, fetch) {
  if (!extension.dataUrl) return null;
  try {
    const answer = await fetch(new URL(extension.dataUrl, base));
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // a plugin that is down must not take the page with it
  }
}

/**
 * Fills each place for a block, an element such as
 * <section data-app-block="product-ratings/stars">, with what render makes of the block's
 * data. What plugins answer is text: put it into textContent, never into innerHTML.
 */
export async function renderBlocks(base, document, fetch, render) {
  const blocks = await all(base, '/api/v1/shop/theme-extensions/blocks', fetch);
  for (const place of document.querySelectorAll('[data-app-block]')) {
    const block = blocks.find((b) => `${b.pluginSlug}/${b.extensionId}` === place.dataset.appBlock);
    if (!block) continue;
    place.textContent = render(block, await dataOf(base, block, fetch));
  }
}

/** Adds every embed at the end of the head or of the body. */
export async function addEmbeds(base, document, fetch, render) {
  for (const embed of await all(base, '/api/v1/shop/theme-extensions/embeds', fetch)) {
    const atHead = embed.targetPosition === 'head-end';
    const element = document.createElement(atHead ? 'meta' : 'aside');
    const text = render(embed, await dataOf(base, embed, fetch));
    if (atHead) {
      element.name = embed.extensionId;
      element.content = text;
    } else {
      element.textContent = text;
    }
    (atHead ? document.head : document.body).append(element);
  }
}
