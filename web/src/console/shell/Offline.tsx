import { useOnline } from "../../api/useOnline";
import { c } from "../text";

// Offline says that there is no network. Its region stays, so that a screen reader hears
// the text come.
export const Offline = () => {
  const online = useOnline();
  return (
    <div role="status" className="shell-offline">
      {!online && c("offline")}
    </div>
  );
};
