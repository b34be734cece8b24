import type { FlagValues } from "./configuration.ts";

export const templateTypes = ["STATIC", "GENERATED", "CONSENT"] as const;
export type TemplateType = (typeof templateTypes)[number];

export const templateStatuses = ["DRAFT", "PUBLISHED", "ARCHIVED"] as const;
export type TemplateStatus = (typeof templateStatuses)[number];

export interface Counterparty {
  readonly legalName: string;
  readonly address: string | null;
  readonly url: string | null;
}

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly type: TemplateType;
  readonly status: TemplateStatus;
  readonly description: string | null;
  readonly defaultLocale: string;
  readonly typeConfig: Readonly<Record<string, unknown>>;
  readonly policyFlags: Readonly<Record<string, unknown>>;
  readonly counterparty: Counterparty | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** What is published, by locale. */
  readonly currentVersions: Readonly<Record<string, CurrentVersion>>;
  readonly activeDeploymentCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
}

interface CurrentVersion {
  readonly versionId: string;
  readonly revision: number;
  readonly label: string;
}

export interface Revision {
  readonly revision: number;
  readonly label: string;
  readonly contentHash: string;
  readonly publishedAt: string;
  readonly requiresReacceptance: boolean;
}

export interface Version {
  readonly id: string;
  readonly templateId: string;
  readonly locale: string;
  readonly title: string | null;
  readonly content: string;
  readonly format: "html" | "markdown" | "text";
  readonly consentText: string | null;
  readonly buttonText: string | null;
  readonly declineText: string | null;
  readonly checkboxText: string | null;
  readonly linkText: string | null;
  readonly purposeTexts: Readonly<Record<string, string>>;
  readonly changeSummary: string | null;
  readonly effectiveAt: string | null;
  readonly status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
  readonly isPublished: boolean;
  /** 0 before the first publication. */
  readonly revision: number;
  readonly label: string | null;
  readonly contentHash: string;
  readonly publishedAt: string | null;
  readonly unpublishedAt: string | null;
  readonly archivedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revisions: readonly Revision[];
}

export interface Deployment {
  readonly id: string;
  readonly templateId: string;
  readonly key: string;
  readonly name: string;
  readonly status: "DRAFT" | "ACTIVE" | "INACTIVE";
  readonly environment: "TEST" | "LIVE";
  readonly surface: string;
  readonly displayMode: string;
  readonly wrapType: string;
  readonly versionSelector: { readonly mode: "LATEST" | "PINNED"; readonly versionId: string | null };
  readonly localeFallback: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly theme: Readonly<Record<string, unknown>>;
  readonly screenshotId: string | null;
  readonly policyOverrides: FlagValues;
  readonly activatedAt: string | null;
  readonly deactivatedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
