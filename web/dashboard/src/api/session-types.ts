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
  /** Whether a password is known; those who came by an identity provider may have none. */
  readonly hasPassword: boolean;
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
  /** Of users who are invited from now on. */
  readonly locale: string | null;
  readonly timeZone: string | null;
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

/** What the login page offers beside the password. */
export interface LoginMethods {
  readonly identityProvider: { readonly name: string; readonly url: string } | null;
  /** Where somebody may go on whom the provider has named. */
  readonly organizations: LoginAnswer["organizations"];
}
