// How high the rows of lists are. The choice is kept in the browser.
export type Rows = "roomy" | "compact";

const key = "stoa-rows";

export const chosenRows = (): Rows => {
  try {
    return localStorage.getItem(key) === "compact" ? "compact" : "roomy";
  } catch {
    return "roomy"; // storage is switched off
  }
};

const apply = (rows: Rows): void => {
  document.documentElement.dataset["rows"] = rows;
};

export const chooseRows = (rows: Rows): void => {
  try {
    localStorage.setItem(key, rows);
  } catch {
    // The choice then holds for this page only.
  }
  apply(rows);
};

apply(chosenRows());
addEventListener("storage", () => apply(chosenRows()));
