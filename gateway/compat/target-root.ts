import { type CompatTarget, envelopeTarget, templateTarget } from "./target.ts";

/** Where rows stand that envelopes and templates have in common. */
export interface TargetRoot {
  /** Below the account. */
  readonly path: "/envelopes/{envelopeId}" | "/templates/{templateId}";
  readonly tag: string;
  /** What operation ids begin with. */
  readonly idPrefix: "compat" | "compatTemplate";
  readonly hasCertificate: boolean;
  targetOf(params: Readonly<Record<string, string>>): CompatTarget;
}

export const envelopeRoot: TargetRoot = {
  path: "/envelopes/{envelopeId}",
  tag: "Compatible documents",
  idPrefix: "compat",
  hasCertificate: true,
  targetOf: ({ envelopeId = "" }) => envelopeTarget(envelopeId),
};

export const templateRoot: TargetRoot = {
  path: "/templates/{templateId}",
  tag: "Compatible templates",
  idPrefix: "compatTemplate",
  hasCertificate: false,
  targetOf: ({ templateId = "" }) => templateTarget(templateId),
};
