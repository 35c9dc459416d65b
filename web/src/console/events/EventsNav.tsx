import { SubNav } from "../kit/SubNav";
import { t } from "../text";
import { eventsPages } from "./pages";

export const EventsNav = () => <SubNav label={t("events.title")} entries={eventsPages} />;
