import { genDialect } from "../../http/error-dialect.ts";
import type { ProtectedAccess } from "../route.ts";

/** What all operations of document generation share. */
export const genBase = { dialect: genDialect } as const;

export const read: ProtectedAccess = { scopes: ["gen:read"], limitGroup: "other" };
export const write: ProtectedAccess = { scopes: ["gen:write"], limitGroup: "other" };
/** What takes a slot of the plan. */
export const generate: ProtectedAccess = { scopes: ["gen:write"], limitGroup: "plan" };
