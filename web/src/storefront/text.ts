import common from "../../texts/en.json?section=common&without=close,loading,theme,testMode,testModeHow,skip,signOut";
import section from "../../texts/en.json?section=shop&without=catalog,product,missing,top,foot,testMode,noScript,subscription,account,license,step,mailed,standIn,elsewhere,discount,handoff,paid,plan,trial,order,orders,licenses,signIn";
import { texts } from "../text";

export const t = texts(section);
export const c = texts(common);
