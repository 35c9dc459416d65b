// Writes a picture of every page, light and dark, at three widths, into the folder given
// (make screenshots): the pages of a shop in use, what opens on them, its long lists, and
// those of an empty shop. A second argument is an expression that the names of the wanted
// pictures match, such as "^order-360-light".
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, openTab, settled, signInToConsole, signInToShop, startStoa } from "./kit.js";
import { longLists, moments, nothingYet } from "./moments.js";
import { pages } from "./pages.js";
import { buyer, furnish } from "./sample.js";

const [folder, only = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();

// picture shows a page and writes what is seen: all of it, or the window if a dialog is
// open, which is as high as the window.
const picture = async (tab, page, file) => {
  await tab.emulateMedia({ media: "screen" });
  await tab.mouse.move(0, 0); // nothing is pointed at
  await tab.goto(page.path);
  await tab.locator(page.ready ?? "main h1").first().waitFor();
  await settled(tab);
  if (page.open) {
    await page.open(tab);
    await settled(tab);
  }
  if (page.paper) await tab.emulateMedia({ media: "print" });
  await tab.screenshot({ path: file, fullPage: !page.dialog });
};

const patience = 20_000; // ms for anything on a page
const slow = 8_000; // ms after which a picture is told of

const nameOf = (page, width, scheme) => `${page.name}-${width}-${scheme}`;
const isWanted = (name) => new RegExp(only).test(name);

const signIn = { nobody: () => {}, buyer: (tab) => signInToShop(tab, buyer), admin: signInToConsole };

// pictures writes all pictures of a shop. One that fails is told, and the others go on.
const pictures = async (stoa, all) => {
  const failed = [];
  const tell = (what, error) => {
    failed.push(`${what}: ${error}`);
    console.log(failed.at(-1));
  };
  for (const scheme of ["light", "dark"]) {
    for (const width of [360, 800, 1440]) {
      for (const as of Object.keys(signIn)) {
        const wanted = all.filter((p) => p.as === as && (p.only ?? width) === width && isWanted(nameOf(p, width, scheme)));
        if (wanted.length === 0) continue;
        const tab = await openTab(browser, stoa, { width, scheme });
        tab.setDefaultTimeout(patience);
        await signIn[as](tab, stoa);
        for (const page of wanted) {
          const name = nameOf(page, width, scheme);
          const began = Date.now();
          await picture(tab, page, join(folder, `${name}.png`)).catch((error) => tell(name, error));
          const took = Date.now() - began;
          if (took > slow) console.log(`${name} took ${Math.round(took / 1000)} s`);
        }
        await tab.end().catch((error) => tell(`${as}, ${width}, ${scheme}`, error));
      }
    }
  }
  return failed;
};

// shop starts a stoa, and writes the pictures that prepare returns.
const shop = async (options, prepare) => {
  const stoa = await startStoa(options);
  try {
    return await pictures(stoa, await prepare(stoa));
  } finally {
    await stoa.stop();
  }
};

const fill = (stoa) => execFileSync("go", ["run", "./fill", join(stoa.folder, "stoa.db")], { cwd: import.meta.dirname });

// emptyShop writes the pictures of the first start, and returns the pages that come after.
const emptyShop = async (stoa) => {
  const link = /\/setup#\S+/.exec(stoa.log())[0];
  const failed = await pictures(stoa, [{ name: "set-up-link", path: link, as: "nobody" }]);
  if (failed.length > 0) throw new Error(failed.join("\n"));
  stoa.admin = { email: "root@example.com", password: "correct horse battery" };
  const tab = await openTab(browser, stoa);
  await tab.goto(link);
  await tab.getByLabel("E-mail").fill(stoa.admin.email);
  await tab.getByLabel("Username").fill("root");
  await tab.getByLabel("Password", { exact: true }).fill(stoa.admin.password);
  await tab.getByRole("button", { name: "Create administrator" }).click();
  await tab.getByRole("link", { name: "Set up the shop in the console" }).waitFor();
  await tab.end();
  return nothingYet;
};

try {
  const failed = [
    ...await shop({ args: ["--mail", "log"] }, async (stoa) => [...pages, ...moments(await furnish(stoa))]),
    ...await shop({}, (stoa) => { fill(stoa); return longLists; }),
    ...await shop({ demo: false }, emptyShop),
  ];
  if (failed.length > 0) throw new Error(`${failed.length} pictures failed:\n${failed.join("\n")}`);
} finally {
  await browser.close();
}
