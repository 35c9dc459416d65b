// Orders of this tab. A guest has no account that would keep the license key, and a buyer
// comes back from the payment page without it; so the tab keeps it until it is closed.
// Nothing of it is in localStorage, and no other tab sees it.
import { currentSession } from "../api/session";

export interface KeptOrder {
  id: string;
  licenseKey: string;
  slug: string;
  productName: string;
  tierId: string;
  tierName: string;
  billingPeriod?: "monthly" | "yearly" | "one-time" | undefined;
  amount: number;
  currency: string;
  deal?: { code: string; discount: number } | null; // what a discount code took off
  email: string; // to which the receipt goes; empty if there is none
  name: string;
  company: string;
  userId: string; // empty: a guest's
  paymentUrl: string; // empty if it was paid at once
  at: string;
  handoff?: string | null; // to the stoa that the license is for: licenseKey is empty then
}

const prefix = "stoa-order-";

export const keepOrder = (order: KeptOrder): void => {
  try {
    sessionStorage.setItem(prefix + order.id, JSON.stringify(order));
  } catch {
    memory.set(order.id, order); // storage is switched off; the page still has it
  }
};

const memory = new Map<string, KeptOrder>();

// forgetOrders is for when a user leaves: the next person at this tab sees no keys.
export const forgetOrders = (): void => {
  for (const { id } of all()) sessionStorage.removeItem(prefix + id);
  memory.clear();
};

const read = (id: string): KeptOrder | null => {
  try {
    const text = sessionStorage.getItem(prefix + id);
    return text ? (JSON.parse(text) as KeptOrder) : (memory.get(id) ?? null);
  } catch {
    return memory.get(id) ?? null;
  }
};

// isShown: a user's order is shown to that user only, who may have signed out in another tab.
const isShown = ({ userId }: KeptOrder): boolean => !userId || userId === currentSession()?.user.id;

export const keptOrder = (id: string): KeptOrder | null => {
  const order = read(id);
  return order && isShown(order) ? order : null;
};

// keptOrders are all of this tab, the newest first.
export const keptOrders = (): KeptOrder[] => all().filter(isShown);

const all = (): KeptOrder[] => {
  const found = new Map(memory);
  try {
    for (let i = 0; i < sessionStorage.length; i++) {
      const name = sessionStorage.key(i) ?? "";
      const order = name.startsWith(prefix) ? read(name.slice(prefix.length)) : null;
      if (order) found.set(order.id, order);
    }
  } catch {
    // Storage is switched off.
  }
  return [...found.values()].sort((a, b) => b.at.localeCompare(a.at));
};
