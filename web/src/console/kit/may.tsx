// What the signed-in user may do here. The API decides; the console leaves out what it would refuse.
import { queryOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, data } from "../../api/client";
import { currentSession } from "../../api/session";
import type texts from "../../../texts/en.json?section=console";
import { queries } from "../queries";
import { t } from "../text";

export type Permission = keyof (typeof texts)["permissions"];

// accountQuery is of the user's own account, which has the permissions.
export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: () => data(api.GET("/auth/account")),
});

// Administrators may do everything: nothing waits until their account is read.
const isAdmin = () => currentSession()?.user.role === "ADMIN";

// held are the permissions of the user; null until they are known.
const held = (): string[] | null => queries.getQueryData(accountQuery.queryKey)?.permissions ?? null;

// isStaff says whether the console is for the user; null until that is known.
export const isStaff = (): boolean | null => {
  const permissions = held();
  if (permissions) return permissions.length > 0;
  const role = currentSession()?.user.role;
  return role === "ADMIN" ? true : role === "USER" ? false : null;
};

// includes says whether some permissions allow what another does.
export const includes = (permissions: string[], wanted: string): boolean =>
  permissions.includes(wanted) ||
  (wanted === "audit:customers" && permissions.includes("audit:read")) ||
  (wanted.startsWith("extensions:use:") && permissions.includes("extensions:use"));

// may says whether the user has a permission. What it said changes with the frame, which is made
// anew when the permissions change.
export const may = (permission: Permission | `extensions:use:${string}`): boolean => {
  const permissions = held();
  return permissions ? includes(permissions, permission) : isAdmin();
};

// holdsAll says whether the user has all of some permissions.
export const holdsAll = (wanted: readonly string[]): boolean => {
  const permissions = held();
  return permissions ? wanted.every((one) => includes(permissions, one)) : isAdmin();
};

// May shows what is in it to those who have a permission.
export const May = ({ needs, children }: { needs: Permission; children: ReactNode }) =>
  may(needs) ? <>{children}</> : null;

// Locked shows a form to those who may only read it: without its buttons, and with fields that do not change.
export const Locked = ({ needs, children }: { needs: Permission; children: ReactNode }) =>
  may(needs) ? (
    <>{children}</>
  ) : (
    <fieldset className="locked" disabled>
      <p className="soft flat">{t("may.readOnly", { permission: permissionName(needs) })}</p>
      {children}
    </fieldset>
  );

// permissionName is a permission in words; one without a text stands as it is.
export const permissionName = (name: string): string => {
  const use = /^extensions:use:(.+)$/.exec(name);
  if (use) return t("may.use", { slug: use[1] ?? "" });
  const key = `permissions.${name}`;
  const text = t(key as `permissions.${Permission}`);
  return text === key ? name : text;
};

// roleName is a role in words; an own role has no other name.
export const roleName = (role: string): string => {
  const key = `people.roles.${role}`;
  const text = t(key as "people.roles.ADMIN");
  return text === key ? role : text;
};
