/** Where the session is kept among the answers of the API; null when nobody is logged in. */
export const sessionKey = ["session"] as const;
export const organizationKey = ["organization"] as const;

export type Role = "viewer" | "developer" | "owner";

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly status: "active" | "invited" | "disabled";
  readonly locale: string | null;
  readonly timeZone: string | null;
  readonly totpEnabled: boolean;
  readonly recoveryCodesLeft: number;
  readonly createdAt: string;
  readonly lastLoginAt: string | null;
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly sandbox: boolean;
  readonly limits: Readonly<Record<"accept" | "render" | "other" | "sign", number>>;
  readonly createdAt: string;
}

/** What the API answers about a session. */
export interface SignedIn {
  readonly user: User;
  readonly organizationId: string;
  readonly scopes: readonly string[];
  readonly csrfToken: string;
  readonly expiresAt: string;
}

export interface LoginAnswer {
  readonly status: "signed_in" | "code_required" | "organization_required";
  readonly session: SignedIn | null;
  readonly pendingToken: string | null;
  readonly pendingUntil: string | null;
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
}
