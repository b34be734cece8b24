import type { Route } from "../route.ts";
import { credentialRoutes } from "./credentials.ts";
import { loginRoutes } from "./login.ts";
import { oidcRoutes } from "./oidc.ts";
import { organizationRoutes } from "./organization.ts";
import { overviewRoutes } from "./overview.ts";
import { passwordRoutes } from "./passwords.ts";
import { secondFactorRoutes } from "./second-factor.ts";
import { userSessionRoutes } from "./sessions.ts";
import { userRoutes } from "./users.ts";

/** What the dashboard does for the people who sign in to it. */
export const dashboardRoutes: readonly Route[] = [
  ...loginRoutes,
  ...oidcRoutes,
  ...passwordRoutes,
  ...secondFactorRoutes,
  ...userSessionRoutes,
  ...userRoutes,
  ...credentialRoutes,
  ...organizationRoutes,
  ...overviewRoutes,
];
