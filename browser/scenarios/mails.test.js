// The words of mails: a shop writes its own, sees them, and goes back.
import { accessibleEverywhere, openConsole, test, useStoa } from "./kit.js";

useStoa({});

test("a shop words its receipt", async () => {
  const tab = await openConsole("/console/shop/mails");
  await accessibleEverywhere(tab, "the list of mails");
  await tab.getByRole("link", { name: "Receipt with the license key" }).click();
  const subject = tab.getByRole("textbox", { name: /Subject/ });
  await subject.fill("Yours: {{productName}}");
  const text = tab.getByRole("textbox", { name: /^Text/ });
  await text.fill("Hello\n");
  await tab.getByRole("button", { name: "Save the words" }).click();
  await tab.getByText(/needs \{\{licenseKey\}\}, on a line of its own/).first().waitFor();
  await accessibleEverywhere(tab, "a mail with a fault");
  await text.fill("Hello from {{shopName}}\n\n{{licenseKey}}\n");
  await tab.getByRole("button", { name: "Show a preview" }).click();
  await tab.getByRole("heading", { name: "Yours: Weather Widget" }).waitFor();
  await tab.getByRole("button", { name: "Save the words" }).click();
  await tab.getByRole("heading", { name: "Your words" }).waitFor();
  await accessibleEverywhere(tab, "a mail in the shop's words");
  await tab.goto("/console/shop/mails");
  await tab.getByRole("row", { name: /Receipt/ }).getByText("English").waitFor();
  await tab.getByRole("link", { name: "Receipt with the license key" }).click();
  await tab.getByRole("button", { name: "Go back to the first words" }).click();
  await tab.getByRole("dialog").getByRole("button", { name: "Go back to the first words" }).click();
  await tab.getByRole("heading", { name: "The words that it came with" }).waitFor();
  await tab.end();
});
