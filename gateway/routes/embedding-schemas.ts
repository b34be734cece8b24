import { deploymentSchema } from "./deployment-schemas.ts";
import { described, extended, listOf } from "./schema-parts.ts";
import { templateSchema } from "./template-schemas.ts";
import { versionSchema } from "./version-schemas.ts";

/** A template with what includeVersions asks for. */
export const embeddingTemplateSchema = extended(templateSchema, {
  versions: described(listOf(versionSchema), "When asked for."),
});

/** A version with what includeTemplate and includeDeployments ask for. */
export const embeddingVersionSchema = extended(versionSchema, {
  template: templateSchema,
  deployments: described(listOf(deploymentSchema), "Those that serve the version, when asked for."),
});
