// One of Tabler's icons, as vite.config.ts makes it: tabler:star-filled.
declare module "tabler:*" {
  const icon: import("./icon").Icon;
  export default icon;
}
