import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data, type Schemas, type Sorts } from "../../api/client";
import { DataTable, type Column } from "../kit/DataTable";
import { Empty } from "../kit/Empty";
import { Filter, ListBar } from "../kit/ListBar";
import { may, roleName } from "../kit/may";
import { Page } from "../kit/Page";
import { PageLink } from "../kit/pages";
import { SaveTable } from "../kit/SaveTable";
import { useListSearch } from "../kit/useListSearch";
import { Time } from "../kit/values";
import { t } from "../text";
import { PeopleNav } from "./PeopleNav";
import { rolesQuery } from "./roles";
import { PersonState } from "./values";

type User = Schemas["ManagedUser"];
type Sort = Sorts<"/api/v1/admin/users">;

const columns: Column<User>[] = [
  {
    title: t("people.email"),
    sort: ["email", "-email"],
    cell: (u) => (
      <PageLink className="row-link" to={`/people/${u.id}`}>
        {u.email}
      </PageLink>
    ),
  },
  { title: t("people.name"), sort: ["username", "-username"], cell: (u) => u.username },
  { title: t("people.role"), sort: ["role", "-role"], cell: (u) => roleName(u.role) },
  { title: t("people.state"), cell: (u) => <PersonState active={u.active} /> },
  {
    title: t("people.since"),
    sort: ["created", "-created"],
    cell: (u) => <Time at={u.createdAt} />,
    end: true,
    named: true,
  },
];

const lists = { customers: "/api/v1/admin/users", staff: "/api/v1/admin/staff" } as const;

// List is the people of one kind: everybody with an account, or staff.
const List = ({ of }: { of: keyof typeof lists }) => {
  const { search, page } = useListSearch();
  const { q, role, active, sort } = search as Record<string, string | undefined>;
  const query = useQuery({
    queryKey: ["users", of, { page, q, role, active, sort }],
    queryFn: () =>
      data(
        api.GET(lists[of], {
          params: {
            query: {
              page,
              ...(q ? { q } : {}),
              ...(role ? { role } : {}),
              ...(active ? { active: active === "true" } : {}),
              ...(sort ? { sort: sort as Sort } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const roles = useRoleChoices(of === "customers");
  const states = [
    { value: "true", label: t("people.states.active") },
    { value: "false", label: t("people.states.blocked") },
  ];
  return (
    <Page title={t("nav.people")}>
      <PeopleNav />
      <ListBar label={t("people.search")}>
        <Filter name="role" label={t("people.role")} choices={roles} />
        <Filter name="active" label={t("people.state")} choices={states} />
        {of === "customers" && <SaveTable of="users" filters={{ q, role, active }} />}
      </ListBar>
      <DataTable
        label={t(of === "staff" ? "people.staff.title" : "people.customers")}
        query={query}
        columns={columns}
        keyOf={(u) => u.id}
        link={(u) => `/people/${u.id}`}
        order="-created"
        stack
        empty={<Empty title={t(of === "staff" ? "people.staff.none" : "people.none")} />}
      />
    </Page>
  );
};

export const PeoplePage = () => <List of="customers" />;

export const StaffPage = () => <List of="staff" />;

const builtIn = ["ADMIN", "OPERATOR", "CATALOG", "SUPPORT", "FINANCE", "ANALYST"];

// useRoleChoices are the roles to filter by. Who may not read roles knows those that come with stoa.
const useRoleChoices = (customers: boolean) => {
  const roles = useQuery({ ...rolesQuery, enabled: may("staff:read") });
  const names = roles.data?.map(({ name }) => name) ?? builtIn;
  return [...(customers ? ["USER"] : []), ...names].map((value) => ({ value, label: roleName(value) }));
};
