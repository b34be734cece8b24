import type { Route } from "../route.ts";
import { genAssetRoutes } from "./assets.ts";
import { batchRoutes } from "./batches.ts";
import { documentRoutes } from "./documents.ts";
import { documentContentRoutes } from "./file-answer.ts";
import { genTemplateCheckRoutes } from "./template-checks.ts";
import { genTemplateRoutes } from "./templates.ts";
import { usageRoutes } from "./usage.ts";

/** Document generation. */
export const genRoutes: readonly Route[] = [
  ...genTemplateRoutes,
  ...genTemplateCheckRoutes,
  ...genAssetRoutes,
  ...documentRoutes,
  ...documentContentRoutes,
  ...batchRoutes,
  ...usageRoutes,
];
