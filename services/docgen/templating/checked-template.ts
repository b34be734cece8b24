import type { Finding, JsonSchema, TemplateSource } from "./template-source.ts";

/** What the check of a template says. */
export interface CheckedTemplate {
  readonly findings: readonly Finding[];
  /** Of the data; only when there are no findings. */
  readonly schema: JsonSchema | undefined;
  /** Ids that `asset:` addresses name. */
  readonly assetIds: readonly string[];
}

/** Checks templates in another thread, because a template can be written so that its check takes long. */
export interface TemplateChecker {
  /** Rejects with an outage when there is too much to do, and with GEN_INVALID_REQUEST for what takes too long. */
  check(source: TemplateSource, orgId: string): Promise<CheckedTemplate>;
  /** As check; when the template has no findings of its own, those of the data come in their place. */
  checkWithData(source: TemplateSource, data: unknown, orgId: string): Promise<CheckedTemplate>;
  close(): Promise<void>;
}
