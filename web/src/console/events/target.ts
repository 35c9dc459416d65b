// Where the console shows what an entry of the audit log is about.
export const addressOf = ({ type, id }: { type: string; id: string }): string | undefined => {
  if (id === "") return undefined;
  const name = encodeURIComponent(id);
  const places: Record<string, string> = {
    user: `/people/${name}`,
    order: `/shop/orders/${name}`,
    license: `/shop/licenses/${name}`,
    product: `/shop/products/${name}`,
    plugin: `/plugins/${name}`,
    invitation: "/people/invitations",
    role: `/people/roles/${name}`,
    theme: "/themes",
    webhook: `/events/webhooks/${name}`,
    apikey: `/settings/api-keys/${name}`,
    service_account: `/settings/api-keys/services/${name}`,
    settings: "/settings",
  };
  return places[type];
};
