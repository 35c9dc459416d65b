// What several pages show of accounts at identity providers.
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, data } from "../api/client";
import { signInMethods } from "../api/entry";
import { leave } from "../api/provider";
import { there } from "./elsewhereText";
import { Button, Failure } from "./ui";

export const useProviders = () =>
  useQuery({ queryKey: ["providers"], queryFn: async () => (await signInMethods()).providers, staleTime: Infinity });

export const identitiesKey = ["account", "identities"];

export const useIdentities = () =>
  useQuery({ queryKey: identitiesKey, queryFn: () => data(api.GET("/auth/identities")) });

const present = () => location.pathname + location.search;

export interface ProviderSignInProps {
  returnTo: string | undefined; // this page if there is none
}

// ProviderSignIn is a button for each provider.
export const ProviderSignIn = ({ returnTo = present() }: ProviderSignInProps) => {
  const providers = useProviders();
  const going = useMutation({ mutationFn: (slug: string) => leave(slug, "sign-in", returnTo) });
  if (!providers.data?.length) return null;
  return (
    <>
      {going.error && <Failure error={going.error} />}
      <p className="row">
        {providers.data.map(({ slug, name }) => (
          <Button key={slug} type="button" busy={going.isPending} onClick={() => going.mutate(slug)}>
            {there("elsewhere.with", { name })}
          </Button>
        ))}
      </p>
    </>
  );
};

// ByProvider proves to be there with another sign-in at a provider. What was begun is begun anew after it.
export const ByProvider = () => {
  const linked = useIdentities();
  const going = useMutation({ mutationFn: (slug: string) => leave(slug, "reauthenticate", present()) });
  return (
    <>
      <p>{there("elsewhere.againHow")}</p>
      {linked.error && <Failure error={linked.error} retry={() => void linked.refetch()} />}
      {going.error && <Failure error={going.error} />}
      <p className="row">
        {linked.data?.items
          .filter((one) => one.enabled)
          .map(({ id, provider, name }) => (
            <Button key={id} type="button" busy={going.isPending} onClick={() => going.mutate(provider)}>
              {there("elsewhere.again", { name })}
            </Button>
          ))}
      </p>
    </>
  );
};
