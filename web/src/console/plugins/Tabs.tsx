import { SubNav } from "../kit/SubNav";
import { t } from "../text";
import { pluginsPages } from "./pages";

// Tabs are the pages across all plugins.
export const Tabs = () => <SubNav label={t("plugins.title")} entries={pluginsPages} />;
