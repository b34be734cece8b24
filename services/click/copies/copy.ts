/** How the delivery of a copy stands. */
export type CopyStatus =
  | "WAITING"
  /** The mail server has taken it over. */
  | "SENT"
  /** The mail server knows no such mailbox. */
  | "REFUSED"
  /** It could not be sent for three days, maybe since there is no mail server. */
  | "FAILED"
  /** The person was erased or restricted before it was sent. */
  | "CANCELLED";

/** The copy of an acceptance. */
export interface Copy {
  readonly receiptId: string;
  readonly status: CopyStatus;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly attempts: number;
  /** Once it was sent. */
  readonly messageId: string | null;
  /** Of the PDF that was sent; null when the text cannot be printed. */
  readonly documentHash: string | null;
}

/** Shows whose an address is to those who know it, and to nobody else. */
export function maskedAddress(address: string): string {
  const at = address.indexOf("@");
  return `${Array.from(address)[0] ?? ""}…${address.slice(at)}`;
}
