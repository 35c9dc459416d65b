// The choice between light and dark, which console and storefront share. Without one the
// system decides.
export type Choice = "light" | "dark" | "auto";

export const schemeKey = "stoa-color-scheme";

export const chosenScheme = (): Choice => {
  try {
    const kept = localStorage.getItem(schemeKey);
    return kept === "light" || kept === "dark" ? kept : "auto";
  } catch {
    return "auto"; // storage is switched off
  }
};

const dark = matchMedia("(prefers-color-scheme: dark)");

export const applyScheme = (choice: Choice): void => {
  const scheme = choice === "auto" ? (dark.matches ? "dark" : "light") : choice;
  document.documentElement.dataset["mantineColorScheme"] = scheme;
};

export const chooseScheme = (choice: Choice): void => {
  try {
    if (choice === "auto") localStorage.removeItem(schemeKey);
    else localStorage.setItem(schemeKey, choice);
  } catch {
    // The choice then holds for this page only.
  }
  applyScheme(choice);
};

// followScheme applies the choice now, and again when the system or another tab changes it.
export const followScheme = (): void => {
  const apply = () => applyScheme(chosenScheme());
  apply();
  dark.addEventListener("change", apply);
  addEventListener("storage", apply);
};
