// axe-core on what opens only after a click: confirmations of what cannot be undone at once,
// in both themes, on a phone too.
import { test } from "node:test";
import { accessible, browser, openTab, settled, signInToConsole, useStoa, stoa } from "./kit.js";

useStoa();

const menu = (item) => async (tab) => {
  await tab.getByRole("button", { name: "More actions", exact: true }).click();
  await tab.getByRole("menuitem", { name: item }).click();
};
const button = (name) => (tab) => tab.getByRole("button", { name, exact: true }).first().click();

const dialogs = [
  { name: "rotate keys", path: "/console/settings/keys", open: button("Rotate keys") },
  { name: "replace a secret", path: "/console/plugins/loyalty-points?view=settings", open: button("Replace the secret") },
  { name: "uninstall a plugin", path: "/console/plugins/loyalty-points", open: menu("Uninstall…"), also: "Also delete everything that it has stored" },
  { name: "delete a theme", path: "/console/themes/theme-app-shop/corner", open: menu("Delete this theme…") },
];

for (const [scheme, width] of [["light", 1440], ["dark", 360]]) {
  test(`dialogs have no serious fault, ${scheme}, ${width} px`, async () => {
    const tab = await openTab(browser, stoa, { scheme, width, height: 800 });
    await signInToConsole(tab, stoa);
    for (const { name, path, open, also } of dialogs) {
      await tab.goto(path);
      await settled(tab);
      await open(tab);
      const dialog = tab.getByRole("dialog");
      await dialog.waitFor();
      await accessible(tab, name);
      if (also) {
        await dialog.getByRole("checkbox", { name: also }).check();
        await accessible(tab, `${name}, ${also}`);
      }
      await tab.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    await tab.end();
  });
}
