import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { materialHash } from "./content.ts";
import { problem, refuse } from "./problems.ts";
import { draftTextOf, type Version, type VersionDraft } from "./version.ts";

/** The rules that every publication of an organization follows. */
export interface PublicationRules {
  organizationId: string;
  fourEyes: boolean;
  updatedBy: string;
  updatedAt: Date;
}

type Decision = "APPROVED" | "REFUSED";

/** What was last asked and decided about the texts of a version. A publication uses it up. */
export interface Approval {
  organizationId: string;
  versionId: string;
  templateId: string;
  /** The text that is meant: exactly what it says, and as it was saved at this time. */
  textHash: string;
  savedAt: Date;
  status: "REQUESTED" | Decision;
  requestedBy: string;
  requestedAt: Date;
  note: string | null;
  decidedBy: string | null;
  decidedAt: Date | null;
  reason: string | null;
}

/** The text that a publication would make live now. */
export interface NextText {
  readonly hash: string;
  readonly contentHash: string;
  readonly savedAt: Date;
  readonly authors: readonly string[];
}

/** Null while there is nothing to publish. */
export function nextTextOf(version: Version, draft: VersionDraft | null): NextText | null {
  if (version.status === "ARCHIVED" || (version.status === "PUBLISHED" && draft === null)) return null;
  const { contentHash, updatedAt: savedAt } = draft ?? version;
  const next = { ...version, ...(draft === null ? {} : draftTextOf(draft)), contentHash };
  const { changeSummary, effectiveAt } = next;
  // The time is a part of it, so that every save voids an approval, and so does taking a text back.
  const text = {
    ...{ material: materialHash(next), changeSummary, savedAt: savedAt.toISOString() },
    effectiveAt: effectiveAt?.toISOString() ?? null,
  };
  const authors = draft === null ? authorsOf(version) : authorsOfDraft(draft);
  return { hash: sha256Label(canonicalJson(text)), contentHash, savedAt, authors };
}

/** Who has written what a version says. Earlier releases have not noted it for each text. */
export const authorsOf = ({ authors, createdBy }: Pick<Version, "authors" | "createdBy">): readonly string[] =>
  authors.length === 0 ? [createdBy] : authors;

/** Who has written a draft. Earlier releases have noted only who began it and who has saved it last. */
export const authorsOfDraft = ({
  authors,
  createdBy,
  updatedBy,
}: Pick<VersionDraft, "authors" | "createdBy" | "updatedBy">): readonly string[] => [
  ...new Set([...authors, createdBy, updatedBy]),
];

/** Who has written a text once this client has changed it. */
export const withAuthor = (authors: readonly string[], clientId: string): readonly string[] => [
  ...new Set([...authors, clientId]),
];

const userPrefix = "user:";

/** Whether a caller is a person who has signed in to the dashboard; no API key and no OAuth client has such a name. */
export const isPerson = (clientId: string): boolean =>
  clientId.startsWith(userPrefix) && isUuid(clientId.slice(userPrefix.length));

export type ApprovalStanding = Approval["status"] | "NONE" | "OUTDATED";

/** What an approval says of the text that would be published now. */
export function standingOf(approval: Approval | null, text: NextText | null): ApprovalStanding {
  if (approval === null) return "NONE";
  return approval.textHash === text?.hash ? approval.status : "OUTDATED";
}

type Words = Pick<Version, "changeSummary" | "effectiveAt">;

/** Whether a publication would show other words beside its text than the text has itself. */
export const bringsOtherWords = (own: Words, wishes: Words): boolean =>
  (wishes.changeSummary !== null && wishes.changeSummary !== own.changeSummary) ||
  (wishes.effectiveAt !== null && wishes.effectiveAt.getTime() !== own.effectiveAt?.getTime());

/** Throws CLICK_APPROVAL_REQUIRED unless a second person has approved of all that the publication would show. */
export function requireApproved(approval: Approval | null, text: NextText | null, own: Words, wishes: Words): void {
  if (standingOf(approval, text) !== "APPROVED") throw new DomainError("CLICK_APPROVAL_REQUIRED");
  if (bringsOtherWords(own, wishes)) throw new DomainError("CLICK_APPROVAL_REQUIRED", otherWords);
}

const otherWords = {
  message:
    "changeSummary and effectiveAt are a part of what was approved. Publish without them, or save them with the text and ask for another approval.",
};

/** Whether anything is live of a version that this caller may not make live again alone. */
export const mayBringBack = (clientId: string, published: readonly Pick<Version, "authors" | "createdBy">[]): boolean =>
  published.length === 0 || (isPerson(clientId) && !published.some((version) => authorsOf(version).includes(clientId)));

interface Deciding {
  readonly by: string;
  readonly textHash: string;
  readonly approved: boolean;
  readonly reason: string | null;
}

/** Whether a decision changes anything. Throws what DecideVersionApproval answers. */
export function decides(approval: Approval | null, text: NextText | null, deciding: Deciding): approval is Approval {
  const { by, textHash, approved, reason } = deciding;
  if (!isPerson(by)) throw new DomainError("CLICK_APPROVAL_NOT_ALLOWED", byProgram);
  refuse(approved || (reason ?? "").trim() !== "" ? [] : [problem("reason", "REQUIRED", "must say why it is refused")]);
  if (text === null) throw new DomainError("CLICK_DRAFT_NOT_FOUND", nothingToPublish);
  if (text.hash !== textHash) throw new DomainError("CLICK_VERSION_CONFLICT");
  if (text.authors.includes(by)) throw new DomainError("CLICK_APPROVAL_NOT_ALLOWED", byAuthor);
  const standing = standingOf(approval, text);
  if (approval === null || standing === "NONE" || standing === "OUTDATED") {
    throw new DomainError("CLICK_APPROVAL_NOT_REQUESTED");
  }
  if (approval.requestedBy === by) throw new DomainError("CLICK_APPROVAL_NOT_ALLOWED", byAsker);
  if (standing === "REFUSED" && approved) throw new DomainError("CLICK_APPROVAL_NOT_REQUESTED", refusedBefore);
  return standing !== (approved ? "APPROVED" : "REFUSED");
}

const byProgram = { message: "Only signed-in people can decide. API keys and OAuth clients can request an approval." };
const byAuthor = { message: "You wrote this text, so someone else has to decide." };
const byAsker = { message: "You requested this approval, so someone else has to decide." };
const refusedBefore = { message: "The text was refused. Whoever wants it approved has to ask anew." };
export const nothingToPublish = { message: "There is nothing to publish: the version is published and has no draft." };
