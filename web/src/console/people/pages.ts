// The pages about people, for their menu and for the search box.
import { t } from "../text";

export const peoplePages = [
  { to: "/people", title: t("people.customers") },
  { to: "/people/staff", title: t("people.staff.title") },
  { to: "/people/invitations", title: t("invitations.title") },
  { to: "/people/roles", title: t("roles.title") },
  { to: "/people/seen", title: t("people.seen.title") },
];
