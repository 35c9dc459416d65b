// The words of the pages of orders and licenses, which a purchase does not need, beside those of every page.
import main from "../../texts/en.json?section=shop&without=catalog,product,missing,top,foot,testMode,noScript,subscription,account,license,step,mailed,standIn,elsewhere,discount,handoff,paid,plan,trial,order,orders,licenses,signIn";
import section from "../../texts/en.json?section=shop&only=order,orders,licenses";
import { texts } from "../text";

export const t = texts({ ...main, ...section });
