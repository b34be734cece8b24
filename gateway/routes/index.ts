import { acceptanceRoutes } from "./acceptances.ts";
import { oauthRoutes } from "./oauth.ts";
import type { Route } from "./route.ts";
import { sessionRoutes } from "./sessions.ts";
import { systemRoutes } from "./system.ts";
import { templateRoutes } from "./templates.ts";
import { versionRoutes } from "./versions.ts";

/** Every operation of the API. */
export const allRoutes: readonly Route[] = [
  ...oauthRoutes,
  ...templateRoutes,
  ...versionRoutes,
  ...sessionRoutes,
  ...acceptanceRoutes,
  ...systemRoutes,
];
