import { SubNav } from "../kit/SubNav";
import { t } from "../text";
import { peoplePages } from "./pages";

// PeopleNav leads to customers, staff, invitations and roles.
export const PeopleNav = () => <SubNav label={t("nav.people")} entries={peoplePages} />;
