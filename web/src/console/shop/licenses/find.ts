// Licenses by what a customer writes. A whole key is looked up with POST, because keys
// must not be in addresses; of a part, the server knows the last group.
import { api, data } from "../../../api/client";
import { asProblem } from "../../../api/problem";
import type { License } from "../types";

const keyLength = 4 + 6 * 5; // STOA and six groups of five

// isKey reports whether a text is as long as a whole license key.
export const isKey = (text: string): boolean => {
  const bare = text.replace(/[\s-]/g, "");
  return bare.length === keyLength && /^stoa/i.test(bare);
};

// searchable returns what to search for: of several groups of a key the last one, and
// any other text as it is.
export const searchable = (text: string): string => {
  const parts = text.trim().split(/[\s-]+/);
  const groups = /^stoa$/i.test(parts[0] ?? "") ? parts.slice(1) : parts;
  const keyLike = groups.length > 0 && groups.every((group) => /^[0-9a-z]{5}$/i.test(group));
  return keyLike && parts.length > 1 ? (groups[groups.length - 1] ?? text) : text.trim();
};

export const byKey = async (key: string): Promise<License | null> => {
  try {
    return await data(api.POST("/api/v1/admin/licenses/lookup", { body: { licenseKey: key } }));
  } catch (error) {
    if (asProblem(error).status === 404) return null;
    throw error;
  }
};
