// One of Tabler's icons, as vite.config.ts makes it: tabler:star-filled.
declare module "tabler:*" {
  import type { Icon } from "./icon";

  const icon: Icon;
  export default icon;
}
