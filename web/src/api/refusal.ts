// Refusals that the page's user can do something about, such as proving to be there. The page says
// what; a request is sent again if it was done.
import { api, authorized, problemOf } from "./client";
import type { Problem } from "./problem";

type Remedy = (refusal: Problem) => Promise<boolean>;

let remedy: Remedy | null = null;

// onRefusal sets what the page does; what it returns ends that.
export const onRefusal = (next: Remedy): (() => void) => {
  remedy = next;
  return () => {
    if (remedy === next) remedy = null;
  };
};

// remedied reports whether a request that was refused should be sent again.
export const remedied = async (refusal: Problem): Promise<boolean> =>
  remedy !== null && refusal.status === 403 && remedy(refusal);

// What was sent cannot be read any more.
const copies = new WeakMap<Request, Request>();

api.use({
  onRequest: ({ request }) => {
    copies.set(request, request.clone());
  },
  onResponse: async ({ request, response }) => {
    const again = copies.get(request);
    if (response.status !== 403 || !again || !(await remedied(await problemOf(response)))) return undefined;
    return authorized(again);
  },
});
