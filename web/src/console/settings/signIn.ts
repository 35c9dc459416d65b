// The settings about sign-in: what they are, and how their values are said and typed.
import { api, tagged, type Schemas } from "../../api/client";
import { formatNumber } from "../../text/format";
import { t } from "../text";

export type SignIn = Schemas["SignInSettings"];
export type Row = Exclude<keyof SignIn, "mail" | "passkeys" | "updatedAt">;
export type Value = string | number | boolean;

export const key = ["sign-in-settings"];
export const read = () => tagged(api.GET("/api/v1/admin/sign-in-settings"));

// The values that can be chosen, in the order of the form. Durations are typed.
export const choices = {
  authPolicy: ["standard", "asvs"],
  registration: ["open", "mail-first", "closed"],
  passwordPolicy: ["standard", "asvs"],
  breachedPasswords: ["off", "builtin"],
  emailSignIn: ["on", "off"],
  newSignInMail: ["on", "off"],
  impersonation: ["notify", "account", "off"],
  staffSecondFactor: ["off", "encourage", "required", "passkey"],
} as const;
export type Choice = keyof typeof choices;

// How many seconds the unit of a typed duration has.
export const units = { sessionMax: 3600, staffSessionMax: 3600, adminReauth: 60 } as const;
export type Duration = keyof typeof units;

export const rows: Row[] = [
  "authPolicy",
  "registration",
  "passwordPolicy",
  "breachedPasswords",
  "sessionMax",
  "emailSignIn",
  "newSignInMail",
  "impersonation",
  "staffSecondFactor",
  "staffSessionMax",
  "adminReauth",
];

export const isDuration = (row: Row): row is Duration => row in units;

const word = (value: Value): string => (typeof value === "boolean" ? (value ? "on" : "off") : String(value));

// say is a value in words.
export const say = (row: Row, value: Value): string => {
  if (!isDuration(row))
    return t(`settings.signIn.values.${row}.${word(value)}` as "settings.signIn.values.authPolicy.asvs");
  const n = Number(value) / units[row];
  if (n === 0) return t("settings.signIn.off");
  return t(row === "adminReauth" ? "settings.signIn.minutes" : "settings.signIn.hours", { n: formatNumber(n) });
};

// typed is what the form shows of a setting: "" where it is not made by itself.
export const typed = (settings: SignIn, row: Row): string | number => {
  const { source, value } = settings[row];
  if (source !== "setting") return "";
  return isDuration(row) ? Number(value) / units[row] : word(value);
};

// sent is what the API gets for it: null takes the setting back.
export const sent = (row: Row, value: string | number): Value | null => {
  if (value === "") return null;
  if (isDuration(row)) return typeof value === "number" ? Math.round(value * units[row]) : value;
  return row === "emailSignIn" || row === "newSignInMail" ? value === "on" : value;
};
