import { t } from "../text";

const known = [
  "products:read",
  "orders:read",
  "licenses:read",
  "users:read",
  "users:email",
  "storage:read",
  "storage:write",
  "events:publish",
  "events:subscribe",
] as const;

// meaning says what a permission allows, in a sentence.
export const meaning = (permission: string): string => {
  const name = known.find((p) => p === permission);
  if (name) return t(`plugins.permissions.means.${name.replace(":", "_") as "products_read"}`);
  if (permission.startsWith("network:"))
    return t("plugins.permissions.network", { host: permission.slice("network:".length) });
  return t("plugins.permissions.own");
};

export const Permissions = ({ names }: { names: string[] }) => (
  <ul className="grants">
    {names.map((name) => (
      <li key={name}>
        <code className="wrap">{name}</code> <span className="soft">{meaning(name)}</span>
      </li>
    ))}
  </ul>
);
