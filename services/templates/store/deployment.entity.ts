import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { DeploymentStatus, DisplayMode, Environment, Surface, WrapType } from "../domain/deployment.ts";
import type { StatedPolicyFlags } from "../domain/policy-flags.ts";

const DeploymentSchema = defineEntity({
  name: "Deployment",
  tableName: "deployment",
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    templateId: p.uuid(),
    key: p.text(),
    name: p.text(),
    status: p.text().$type<DeploymentStatus>(),
    environment: p.text().$type<Environment>(),
    surface: p.text().$type<Surface>(),
    displayMode: p.text().$type<DisplayMode>(),
    wrapType: p.text().$type<WrapType>(),
    versionId: p.uuid().strictNullable(),
    localeFallback: p.array().columnType("text[]").$type<readonly string[]>(),
    allowedOrigins: p.array().columnType("text[]").$type<readonly string[]>(),
    theme: p.json<JsonObject>(),
    screenshotId: p.text().strictNullable(),
    policyOverrides: p.json<StatedPolicyFlags>(),
    snapshotHash: p.text().strictNullable(),
    activatedAt: p.datetime().strictNullable(),
    deactivatedAt: p.datetime().strictNullable(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A row of templates.deployment; has the shape of the domain's Deployment. */
export class DeploymentEntity extends DeploymentSchema.class {}
DeploymentSchema.setClass(DeploymentEntity);
