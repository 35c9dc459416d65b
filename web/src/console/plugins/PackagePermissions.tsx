// What a plugin asks for, and which instances may.
import { useQuery } from "@tanstack/react-query";
import { meaning } from "../extensions/Permissions";
import { readManifest } from "../extensions/manifest";
import { Section } from "../kit/Page";
import { State } from "../kit/values";
import { t } from "../text";
import { instancesQuery, type Package } from "./data";

export const PackagePermissions = ({ plugin }: { plugin: Package }) => {
  const { permissions } = readManifest(plugin.manifestJson);
  const list = useQuery(instancesQuery(plugin.slug)).data?.items ?? [];
  return (
    <Section title={t("plugins.permissions.title")}>
      {permissions.length === 0 ? (
        <p className="soft" style={{ margin: 0 }}>
          {t("plugins.permissions.none")}
        </p>
      ) : (
        <div className="table-box" tabIndex={0} role="group" aria-label={t("plugins.permissions.title")}>
          <table className="table" data-stack>
            <thead>
              <tr>
                <th scope="col">{t("plugins.permissions.one")}</th>
                <th scope="col">{t("plugins.permissions.allows")}</th>
                <th scope="col">{t("plugins.permissions.granted")}</th>
              </tr>
            </thead>
            <tbody>
              {permissions.map((name) => {
                const granted = list.filter((instance) => instance.grantedPermissions.includes(name)).length;
                return (
                  <tr key={name}>
                    <td>
                      <code>{name}</code>
                    </td>
                    <td className="soft wrap">{meaning(name)}</td>
                    <td data-name={t("plugins.permissions.granted")}>
                      {granted === list.length ? (
                        <State tone="good">{t("plugins.permissions.all")}</State>
                      ) : (
                        <State tone={granted === 0 ? "none" : "warn"}>
                          {t("plugins.permissions.some", { n: granted, of: list.length })}
                        </State>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
};
