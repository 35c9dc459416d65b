// Runs in the frame in which the console shows a plugin's own page (ADR 14). The page gets
// an origin of its own and no token. It reaches its plugin by fetch, which the console
// does for it; scripts, style sheets and pictures of the page come the same way.
(() => {
  "use strict";
  const console_ = window.parent, asked = new Map();
  let last = 0, base = "";

  const send = (message, transfer = []) => console_.postMessage(message, { targetOrigin: "*", transfer });

  const ask = (url, { method = "GET", headers = [], body = null } = {}) => new Promise((resolve, reject) => {
    asked.set(++last, { resolve, reject });
    send({ stoa: "fetch", id: last, url, method, headers, body });
  });

  const nativeFetch = window.fetch;

  // fetch of the plugin's page. Addresses are relative to the page's own.
  window.fetch = async (input, init) => {
    const relative = typeof input === "string" || input instanceof URL;
    const url = relative ? String(input) : input.url;
    if (/^(blob|data):/.test(url)) return nativeFetch(input, init);
    const request = new Request(new URL(url, "http://plugin.invalid" + base), relative ? init : { ...init, method: input.method, headers: input.headers });
    const body = ["GET", "HEAD"].includes(request.method) ? null : await (relative ? request : input).arrayBuffer();
    const answer = await ask(url, { method: request.method, headers: [...request.headers], body });
    return new Response([101, 204, 205, 304].includes(answer.status) ? null : answer.body, { status: answer.status, headers: answer.headers });
  };

  const text = async (url) => {
    const answer = await ask(url);
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
    return new TextDecoder().decode(answer.body);
  };
  const picture = async (url) => {
    const answer = await ask(url);
    const type = new Headers(answer.headers).get("Content-Type") || "";
    return URL.createObjectURL(new Blob([answer.body], { type }));
  };
  const own = (url) => url && !/^(blob:|data:|#)/.test(url);

  // show puts what the page loads into it, and shows it in place of this page.
  const show = async (html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const loads = [], deferred = [];
    const load = (selector, attribute, put) => {
      for (const element of page.querySelectorAll(selector)) {
        const url = element.getAttribute(attribute);
        if (own(url)) loads.push(put(element, url).catch((error) => console.error(error)));
      }
    };
    load("script[src]", "src", async (element, url) => {
      element.textContent = (await text(url)).replaceAll("</script", "<\\/script");
      element.removeAttribute("src");
      if (element.defer && element.type !== "module") deferred.push(element);
    });
    load('link[rel~="stylesheet"][href]', "href", async (element, url) => {
      const style = page.createElement("style");
      style.textContent = await text(url);
      element.replaceWith(style);
    });
    load("img[src]", "src", async (element, url) => { element.setAttribute("src", await picture(url)); });
    await Promise.all(loads);
    for (const element of [...page.scripts].filter((script) => deferred.includes(script))) page.body.append(element);
    document.open(); // takes the listeners of the window away
    window.addEventListener("message", onMessage);
    document.write("<!doctype html>" + page.documentElement.outerHTML);
    document.close();
  };

  const onMessage = (e) => {
    if (e.source !== console_) return;
    if (e.data.stoa === "page" && base === "") {
      base = e.data.path;
      void show(e.data.html);
    }
    if (e.data.stoa !== "answer") return;
    const waiting = asked.get(e.data.id);
    asked.delete(e.data.id);
    if (e.data.error) waiting?.reject(new TypeError(e.data.error));
    else waiting?.resolve(e.data);
  };
  window.addEventListener("message", onMessage);
  send({ stoa: "ready" });
})();
