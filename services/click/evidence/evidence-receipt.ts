import type { JsonObject } from "@bufbuild/protobuf";
import { type LeafPayload, receiptTyp } from "../log/leaf.ts";
import { type ParsedJws, parseJws } from "../receipts/compact-jws.ts";

/** The receipt to verify: exactly one of the two. */
export interface GivenReceipt {
  /** As the API returned it. */
  readonly receipt: JsonObject | undefined;
  /** Compact. */
  readonly jws: string | undefined;
}

/** A well-formed receipt. Its payload is trustworthy only after the signature has been verified. */
export interface ReadReceipt {
  /** Undefined when only its JWS was given. */
  readonly receipt: JsonObject | undefined;
  readonly jws: string;
  readonly signed: ParsedJws;
  readonly payload: ReceiptPayload;
  /** The exact bytes that were signed. */
  readonly leaf: Buffer;
}

/** The member that names the record depends on the kind of leaf. */
export interface ReceiptPayload extends LeafPayload {
  readonly rid?: string;
  readonly eid?: string;
  readonly sid?: string;
  readonly _sd?: readonly string[];
}

export type ReceiptForm =
  | { readonly kind: "read"; readonly read: ReadReceipt }
  | { readonly kind: "malformed"; readonly message: string };

const maxJwsLength = 65_536;

/** Reads a receipt, or only its JWS. */
export function readReceipt({ receipt, jws: given }: GivenReceipt): ReceiptForm {
  const jws = given ?? (isObject(receipt?.signature) ? receipt.signature.jws : undefined);
  if (typeof jws !== "string") return malformed("The receipt has no signature.jws.");
  const signed = parseJws(jws, { typ: receiptTyp, maxLength: maxJwsLength });
  if (signed === undefined || !isObject(signed.payload)) {
    return malformed(`It is not a compact JWS of the type ${receiptTyp} with a JSON object in it.`);
  }
  const payload = signed.payload as unknown as ReceiptPayload;
  return { kind: "read", read: { receipt, jws, signed, payload, leaf: payloadBytes(jws) } };
}

const malformed = (message: string): ReceiptForm => ({ kind: "malformed", message });

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const payloadBytes = (jws: string): Buffer => Buffer.from(jws.split(".")[1] ?? "", "base64url");

export const isDecision = ({ kind }: Pick<LeafPayload, "kind">): boolean =>
  kind === "click.acceptance" || kind === "click.decline";

export const isConsentChange = ({ kind }: Pick<LeafPayload, "kind">): boolean => kind.startsWith("click.consent.");

/** The possible ids of the record in the log. */
export const recordIds = ({ rid, eid, sid }: ReceiptPayload): string[] =>
  [rid, eid, sid].filter((id) => id !== undefined);
