// The languages that pages are in, as the page itself names them.
export const languages = (document.documentElement.dataset["languages"] ?? "en").split(" ");

// nameOf is what those who speak a language call it.
export const nameOf = (tag: string): string => {
  const name = new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
};
