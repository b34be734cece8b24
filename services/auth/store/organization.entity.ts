import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { OrgId } from "#platform/ids.ts";
import type { Plan } from "../domain/organization.ts";

export const OrganizationEntity = defineEntity({
  name: "Organization",
  tableName: "organization",
  properties: {
    organizationId: p.uuid().$type<OrgId>().primary(),
    name: p.text(),
    plan: p.text().$type<Plan>(),
    sandbox: p.boolean(),
    limitAccept: p.integer().nullable(),
    limitRender: p.integer().nullable(),
    limitOther: p.integer().nullable(),
    limitSign: p.integer().nullable(),
    locale: p.text(),
    timeZone: p.text(),
    createdAt: p.datetime(),
  },
});

export type Organization = InferEntity<typeof OrganizationEntity>;
