// Runs storefront.js against a stoa, with as much of a document as it needs, and prints
// what became of the page. Used by the test: node try.mjs http://127.0.0.1:8080
import { addEmbeds, applyTheme, renderBlocks } from './storefront.js';

const element = (tag) => ({ tag, children: [], append(child) { this.children.push(child); } });
const properties = {};
const place = { dataset: { appBlock: 'product-ratings/stars' }, textContent: '' };
const document = {
  documentElement: { style: { setProperty: (name, value) => { properties[name] = value; } } },
  head: element('head'),
  body: element('body'),
  createElement: element,
  querySelectorAll: () => [place, { dataset: { appBlock: 'nobody/none' } }],
};
const show = (extension, data) => (data ? `${extension.name}: ${data.text}` : extension.name);
const stoa = process.argv[2];
const theme = await applyTheme(stoa, document, fetch);
await renderBlocks(stoa, document, fetch, show);
await addEmbeds(stoa, document, fetch, show);
const [stylesheet] = document.head.children.filter((e) => e.tag === 'link');
const css = stylesheet ? await (await fetch(stylesheet.href)).text() : '';
console.log(JSON.stringify({
  theme: theme && theme.slug,
  properties,
  stylesheet: css.includes('--theme-accentColor'),
  block: place.textContent,
  meta: document.head.children.filter((e) => e.tag === 'meta').map((e) => `${e.name}=${e.content}`),
  asides: document.body.children.map((e) => e.textContent),
}));
