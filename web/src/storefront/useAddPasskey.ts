import { api, data } from "../api/client";
import { makePasskey } from "../api/passkey";
import { useRefresh } from "./account/data";
import { useProved } from "./proof";

// useAddPasskey adds a passkey that this browser makes, under a name.
export const useAddPasskey = (onAdded: (name: string) => void) => {
  const refresh = useRefresh();
  return useProved({
    mutationFn: async (name: string) => {
      const credential = await makePasskey(await data(api.POST("/auth/passkeys/options")));
      return data(api.POST("/auth/passkeys", { body: { name, credential: credential as never } }));
    },
    onSuccess: async ({ name }) => {
      await refresh();
      onAdded(name);
    },
  });
};
