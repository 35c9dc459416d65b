import { useSyncExternalStore } from "react";
import { currentSession, onSession, type Session } from "./session";

export const useSession = (): Session => useSyncExternalStore(onSession, currentSession);
