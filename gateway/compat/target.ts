/** An agreement or a template, as RPCs take it. */
export interface CompatTarget {
  readonly id: { readonly case: "agreementId" | "templateId"; readonly value: string };
}

export const envelopeTarget = (value: string): CompatTarget => ({ id: { case: "agreementId", value } });
export const templateTarget = (value: string): CompatTarget => ({ id: { case: "templateId", value } });
