import type { Route } from "../route.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { endpointActionRoutes } from "./endpoint-actions.ts";
import { endpointRoutes } from "./endpoints.ts";

/** Where events are sent, and what became of each. */
export const webhookRoutes: readonly Route[] = [...endpointRoutes, ...endpointActionRoutes, ...deliveryRoutes];
