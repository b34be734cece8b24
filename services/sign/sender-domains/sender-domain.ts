import { domainToASCII } from "node:url";
import { isEmailAddress } from "#platform/mail/mail.ts";
import { invalid, problem } from "../agreement/problems.ts";

/** What holds as long as the DNS of its owner says so. */
export interface Proven {
  readonly id: string;
  readonly status: "pending" | "verified" | "lost";
  /** The answers that were found for its records. */
  readonly findings: Findings;
  /** When all required records were last looked at and answered for, rightly or wrongly. */
  readonly checkedAt: Date | null;
  /** Null while it is not verified. */
  readonly verifiedAt: Date | null;
}

/** A domain that mails of an organization come from while it is verified. */
export interface SenderDomain extends DomainName, Proven {
  /** Who added it, as callers are named. */
  readonly createdBy: string;
  readonly createdAt: Date;
}

interface SenderName {
  /** In ASCII and lower case. */
  readonly domain: string;
  /** What comes before the @. */
  readonly mailbox: string;
}

/** What the records of a domain are made of. */
interface DomainName extends SenderName {
  /** Proves that who sets it has read it here. */
  readonly token: string;
  readonly selector: string;
  /** SubjectPublicKeyInfo in Base64, as DKIM writes RSA keys (RFC 6376 §3.6.1). */
  readonly publicKey: string;
}

type Purpose = "proof" | "dkim" | "spf" | "dmarc";
export type Finding = "found" | "missing" | "wrong" | "unreachable";
export type Findings = Readonly<Partial<Record<Purpose, Finding>>>;

export interface WantedRecord {
  readonly purpose: Purpose;
  readonly name: string;
  readonly value: string;
  readonly isRequired: boolean;
}

/** The records to set. Without an address in MAIL_FROM nothing is sent, so there is nobody whom SPF could name. */
export function recordsOf(
  { domain, token, selector, publicKey }: Omit<DomainName, "mailbox">,
  mailDomain: string,
): WantedRecord[] {
  const spf = { purpose: "spf", name: domain, value: `v=spf1 include:${mailDomain} ~all`, isRequired: true } as const;
  return [
    { purpose: "proof", name: `_assent.${domain}`, value: `assent-domain=${token}`, isRequired: true },
    {
      ...{ purpose: "dkim", name: `${selector}._domainkey.${domain}`, isRequired: true },
      value: `v=DKIM1; k=rsa; p=${publicKey}`,
    },
    // Senders of the domain itself are in its record already.
    ...(mailDomain === "" || mailDomain === domain ? [] : [spf]),
    { purpose: "dmarc", name: `_dmarc.${domain}`, value: "v=DMARC1; p=quarantine", isRequired: false },
  ];
}

/** The domain of `Name <address>` or of an address; empty for none. */
export const mailDomainOf = (from: string): string => (/@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? "").toLowerCase();

/** Throws VALIDATION_FAILED. */
export function checkedName(given: SenderName): SenderName {
  const mailbox = given.mailbox.trim().toLowerCase() || "agreements";
  const domain = hostNameOf(given.domain);
  const problems = [
    ...(isHostName(domain) ? [] : [problem("domain", "INVALID_DOMAIN", "must be a domain such as mail.example.com")]),
    ...(/^[\x21-\x7e]+$/.test(mailbox) && isEmailAddress(`${mailbox}@example.com`)
      ? []
      : [problem("mailbox", "INVALID_MAILBOX", "must be what comes before the @ of an address, such as agreements")]),
    ...(`${mailbox}@${domain}`.length > 100
      ? [problem("domain", "TOO_LONG", "must have at most 100 characters with the mailbox")]
      : []),
  ];
  if (problems.length > 0) throw invalid(...problems);
  return { domain, mailbox };
}

/** In ASCII and lower case; what is no name becomes an empty text. */
export function hostNameOf(given: string): string {
  const name = given.trim().replace(/\.$/, "");
  // What follows a name in an address would be left out without a word.
  return /[/?#@:\\]/.test(name) ? "" : domainToASCII(name).toLowerCase();
}

export function isHostName(domain: string): boolean {
  const labels = domain.split(".");
  const isWhole = labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label));
  return isWhole && labels.length >= 2 && !/^\d+$/.test(labels.at(-1) ?? "");
}

export const addressOf = ({ mailbox, domain }: SenderName): string => `${mailbox}@${domain}`;

/** Whether the name servers are silent for so long that nobody can say any more what they would answer. */
const silentMs = 3 * 86_400_000;

/** What becomes of that whose records were looked up. */
export function settled<One extends Proven>(
  before: One,
  records: readonly WantedRecord[],
  findings: Findings,
  now: Date,
): One {
  const required = records.filter(({ isRequired }) => isRequired).map(({ purpose }) => findings[purpose]);
  const isRight = required.every((finding) => finding === "found");
  const isWrong = required.some((finding) => finding === "missing" || finding === "wrong");
  const isSilent = !isRight && !isWrong;
  const { status, verifiedAt, checkedAt } = before;
  if (isRight) {
    const since = status === "verified" ? verifiedAt : now;
    return { ...before, findings, status: "verified", checkedAt: now, verifiedAt: since };
  }
  const isHeld = isSilent && now.getTime() - (checkedAt ?? now).getTime() < silentMs;
  const kept = { ...before, findings, checkedAt: isSilent ? checkedAt : now };
  return status === "verified" && !isHeld ? { ...kept, status: "lost", verifiedAt: null } : kept;
}
