import type { Route } from "../route.ts";
import { credentialRoutes } from "./credentials.ts";
import { loginRoutes, userSessionRoutes } from "./login.ts";
import { oidcRoutes } from "./oidc.ts";
import { organizationRoutes, overviewRoutes } from "./organization.ts";
import { passkeyLoginRoutes, passkeyRoutes } from "./passkeys.ts";
import { passwordRoutes, secondFactorRoutes } from "./passwords.ts";
import { userRoutes } from "./users.ts";

/** What the dashboard does for the people who sign in to it. */
export const dashboardRoutes: readonly Route[] = [
  ...loginRoutes,
  ...oidcRoutes,
  ...passkeyLoginRoutes,
  ...passwordRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...userSessionRoutes,
  ...userRoutes,
  ...credentialRoutes,
  ...organizationRoutes,
  ...overviewRoutes,
];
