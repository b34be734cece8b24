import type { JsonObject } from "@bufbuild/protobuf";

export type TemplateType = "STATIC" | "GENERATED" | "CONSENT";
export type CaptureMode = "FULL" | "TRUNCATED" | "NONE";

/** The flags that decide about sessions and acceptances; others are kept as they came. */
export interface Policy {
  readonly requireCheckbox: boolean;
  readonly requireScroll: boolean;
  readonly requireView: boolean;
  readonly minDisplaySeconds: number;
  readonly requireRenderToken: boolean;
  readonly requireTypedName: boolean;
  readonly expectedName?: string;
  readonly allowDirectAccept: boolean;
  readonly singleUseSession: boolean;
  readonly oneAcceptancePerRevision: boolean;
  readonly requireReacceptance: "ON_MAJOR" | "ALWAYS" | "NEVER";
  readonly reacceptIntervalDays: number;
  /** Absent from terms that were kept before there was this flag. */
  readonly showChanges?: boolean;
  readonly allowDecline: boolean;
  readonly recordDecline: boolean;
  readonly requireAuthenticatedUser: boolean;
  readonly verificationMethods: readonly string[];
  readonly verificationMode: "ALL" | "ANY";
  /** The user must state to be of this age; 0 asks for nothing. */
  readonly minAge: number;
  readonly sessionTtlSeconds: number;
  readonly captureIp: CaptureMode;
  readonly captureUserAgent: CaptureMode;
  readonly captureReferrer: CaptureMode;
  readonly sendCopyToUser: boolean;
  readonly esignDisclosure: boolean;
  readonly consentExpiresAfterDays: number;
  readonly honorGpc: boolean;
}

/** The flags in force: what the template states over the defaults of its type. */
export const effectivePolicy = (type: TemplateType, stated: JsonObject): Policy & JsonObject =>
  ({ ...defaults, ...(type === "CONSENT" ? consentDefaults : {}), ...stated }) as Policy & JsonObject;

const defaults = {
  requireCheckbox: false,
  requireScroll: false,
  requireView: false,
  minDisplaySeconds: 0,
  requireRenderToken: false,
  requireTypedName: false,
  allowDirectAccept: true,
  singleUseSession: true,
  oneAcceptancePerRevision: false,
  requireReacceptance: "ON_MAJOR",
  reacceptIntervalDays: 0,
  showChanges: false,
  allowDecline: false,
  recordDecline: true,
  requireAuthenticatedUser: false,
  verificationMethods: [],
  verificationMode: "ALL",
  minAge: 0,
  sessionTtlSeconds: 3600,
  captureIp: "FULL",
  captureUserAgent: "FULL",
  captureReferrer: "FULL",
  requireSnapshot: false,
  sendCopyToUser: false,
  esignDisclosure: false,
  consentExpiresAfterDays: 0,
  retentionDays: 0,
  legalHold: false,
  honorGpc: false,
};

const consentDefaults = { requireCheckbox: true, captureIp: "TRUNCATED" };
