import { SubNav } from "../kit/SubNav";
import { t } from "../text";
import { settingsPages } from "./pages";

export const SettingsNav = () => <SubNav label={t("settings.title")} entries={settingsPages} />;
