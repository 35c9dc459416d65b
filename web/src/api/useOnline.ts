import { useSyncExternalStore } from "react";

const listen = (changed: () => void) => {
  addEventListener("online", changed);
  addEventListener("offline", changed);
  return () => {
    removeEventListener("online", changed);
    removeEventListener("offline", changed);
  };
};

// useOnline tells whether the device has a network.
export const useOnline = (): boolean => useSyncExternalStore(listen, () => navigator.onLine);
