/** What a leaf consists of, with the places in the bundle that say the same: `receipt.` in the record's own receipt. */
export type MemberRules = Readonly<Record<string, readonly string[]>>;

const nowhere: readonly string[] = [];

/** What the session and the text are: the same in every record. */
const bound: MemberRules = {
  v: nowhere,
  kind: nowhere,
  iss: nowhere,
  org: ["organizationId", "session.organizationId"],
  tpl: ["session.templateId", "agreement.template.id"],
  ver: ["session.versionId", "agreement.version.id"],
  rev: ["session.revision", "agreement.version.revision"],
  label: ["session.label", "agreement.version.label"],
  locale: ["session.locale", "agreement.version.locale"],
  contentHash: ["session.contentHash", "agreement.contentHash"],
  termsHash: nowhere,
  sid: ["sessionId", "session.id"],
  _sd: nowhere,
  _sd_alg: nowhere,
};

/** The leaf of an acceptance or a decline. */
export const acceptanceMembers: MemberRules = {
  ...bound,
  org: [...(bound.org ?? []), "receipt.organizationId"],
  tpl: [...(bound.tpl ?? []), "receipt.templateId"],
  ver: [...(bound.ver ?? []), "receipt.versionId"],
  rev: [...(bound.rev ?? []), "receipt.revision"],
  label: [...(bound.label ?? []), "receipt.versionLabel"],
  locale: [...(bound.locale ?? []), "receipt.locale"],
  contentHash: [...(bound.contentHash ?? []), "receipt.contentHash"],
  sid: [...(bound.sid ?? []), "receipt.sessionId"],
  rid: ["receipt.receiptId"],
  renderHash: nowhere,
  wordsHash: nowhere,
  deployment: ["receipt.deploymentId", "session.deploymentId"],
  deploymentHash: nowhere,
  policyHash: ["receipt.policy.hash", "policy.hash"],
  act: ["receipt.action"],
  assertedBy: ["receipt.assertedBy"],
  acceptedAt: ["receipt.acceptedAt"],
  clientAcceptedAt: ["receipt.clientAcceptedAt"],
  renderedAt: nowhere,
  expiresAt: ["receipt.expiresAt"],
  reacceptBy: ["receipt.reacceptBy"],
  superseded: ["receipt.superseded"],
};

/** The leaf of the end of a session. */
export const completionMembers: MemberRules = {
  ...bound,
  outcome: ["session.outcome"],
  createdAt: ["session.createdAt"],
  completedAt: ["session.completedAt"],
  receipts: nowhere,
};
