// Identity providers: where else people may have an account to sign in with.
import { api, data, type Schemas } from "../../api/client";

export type Provider = Schemas["IdentityProvider"];
export type Form = Parameters<typeof save>[1];

export const key = ["identity-providers"];

export const list = () => data(api.GET("/api/v1/admin/identity-providers"));

export const get = (slug: string) =>
  data(api.GET("/api/v1/admin/identity-providers/{slug}", { params: { path: { slug } } }));

export const save = (
  slug: string,
  body: Omit<Provider, "slug" | "hasSecret" | "accounts" | "onlyWayIn" | "createdAt" | "redirectUri"> & {
    clientSecret?: string;
  },
) =>
  data(
    api.PUT("/api/v1/admin/identity-providers/{slug}", {
      params: { path: { slug } },
      body: { ...body, issuer: body.kind === "oidc" ? body.issuer : "" },
    }),
  );

// formOf is what the API takes of a provider, which replaces all of it but the secret.
export const formOf = ({
  slug: _slug,
  hasSecret: _secret,
  accounts: _accounts,
  onlyWayIn: _only,
  createdAt: _at,
  redirectUri: _uri,
  ...form
}: Provider): Form => form;

export const remove = (slug: string) =>
  data(api.DELETE("/api/v1/admin/identity-providers/{slug}", { params: { path: { slug } } }));

export const test = (slug: string) =>
  data(api.POST("/api/v1/admin/identity-providers/{slug}/test", { params: { path: { slug } } }));
