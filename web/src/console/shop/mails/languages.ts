import { language } from "../../../text";

// Those in which stoa writes mails.
export const languages = ["en", "de", "fr", "es", "pt", "ja"] as const;

const names = new Intl.DisplayNames([language], { type: "language" });

// languageName is the name of a language, in that of the page.
export const languageName = (tag: string): string => names.of(tag) ?? tag;
