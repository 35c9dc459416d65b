// The texts of console and storefront are in texts/<language>.json and nowhere else. A
// page takes the section it needs, so the other one is not in its bundle.
export type Values = Record<string, string | number>;

// Keys are the paths of a section's texts: "nav.overview".
export type Keys<T> = T extends string
  ? never
  : { [K in keyof T & string]: T[K] extends string ? K : `${K}.${Keys<T[K]>}` }[keyof T & string];

// Bases are keys of texts that differ by number, without ".one" and ".other".
type Bases<K> = K extends `${infer Base}.other` ? Base : never;

export interface Texts<K extends string> {
  // The text of a key, with values in place of {name}.
  (key: K, values?: Values): string;
  // The text for a number: the key names a group of texts by plural category.
  count: (key: Bases<K>, n: number, values?: Values) => string;
}

export const language = document.documentElement.lang || "en";
const plurals = new Intl.PluralRules(language);
const whole = new Intl.NumberFormat(language);

const find = (section: unknown, key: string): string | undefined => {
  const found = key
    .split(".")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], section);
  return typeof found === "string" ? found : undefined;
};

const fill = (text: string, values: Values = {}): string =>
  text.replace(/\{(\w+)\}/g, (hole, name: string) => String(values[name] ?? hole));

export const texts = <const T>(section: T): Texts<Keys<T>> => {
  const t = (key: string, values?: Values) => fill(find(section, key) ?? key, values);
  const count = (key: string, n: number, values?: Values) =>
    fill(find(section, `${key}.${plurals.select(n)}`) ?? find(section, `${key}.other`) ?? key, {
      n: whole.format(n),
      ...values,
    });
  return Object.assign(t, { count }) as Texts<Keys<T>>;
};
