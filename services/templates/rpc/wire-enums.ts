import {
  ContentFormat,
  DeploymentStatus,
  TemplateStatus,
  TemplateType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { ContentFormat as DomainFormat } from "../domain/content.ts";
import type { DeploymentStatus as DomainDeploymentStatus } from "../domain/deployment.ts";
import type { TemplateStatus as DomainTemplateStatus } from "../domain/template.ts";
import type { TemplateType as DomainType } from "../domain/type-config.ts";

export const wireType = {
  STATIC: TemplateType.STATIC,
  GENERATED: TemplateType.GENERATED,
  CONSENT: TemplateType.CONSENT,
} as const satisfies Record<DomainType, TemplateType>;

export const wireTemplateStatus = {
  DRAFT: TemplateStatus.DRAFT,
  PUBLISHED: TemplateStatus.PUBLISHED,
  ARCHIVED: TemplateStatus.ARCHIVED,
} as const satisfies Record<DomainTemplateStatus, TemplateStatus>;

export const wireFormat = {
  HTML: ContentFormat.HTML,
  MARKDOWN: ContentFormat.MARKDOWN,
  TEXT: ContentFormat.TEXT,
  PDF: ContentFormat.PDF,
} as const satisfies Record<DomainFormat, ContentFormat>;

export const wireDeploymentStatus = {
  DRAFT: DeploymentStatus.DRAFT,
  ACTIVE: DeploymentStatus.ACTIVE,
  INACTIVE: DeploymentStatus.INACTIVE,
} as const satisfies Record<DomainDeploymentStatus, DeploymentStatus>;

/** The name of a number of the wire; undefined for UNSPECIFIED and for numbers of a later contract. */
export const fromWire = <Name extends string>(
  names: Readonly<Record<Name, number>>,
  value: number | undefined,
): Name | undefined => (Object.keys(names) as Name[]).find((name) => names[name] === value);
