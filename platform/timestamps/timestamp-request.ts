import { hash, randomBytes } from "node:crypto";
import { Integer, Null, OctetString } from "asn1js";
import { AlgorithmIdentifier, MessageImprint, TimeStampReq } from "pkijs";

/** A request for a time stamp (RFC 3161 §2.4.1), and what its answer is compared with. */
export interface TimestampRequest {
  readonly der: Buffer;
  readonly data: Uint8Array;
  /** SHA-256 of the data. */
  readonly imprint: Buffer;
  /** The value bytes of an INTEGER. */
  readonly nonce: Buffer;
}

export const sha256Oid = "2.16.840.1.101.3.4.2.1";

export function timestampRequest(data: Uint8Array): TimestampRequest {
  const imprint = hash("sha256", data, "buffer");
  const nonce = positiveInteger();
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: sha256Oid, algorithmParams: new Null() }),
      hashedMessage: new OctetString({ valueHex: imprint }),
    }),
    nonce: new Integer({ valueHex: nonce }),
    // Whoever checks the token in years needs the certificate.
    certReq: true,
  });
  return { der: Buffer.from(request.toSchema().toBER()), data, imprint, nonce };
}

/** 64 random bits but for the first two, so that DER writes it with neither sign nor leading zeros. */
function positiveInteger(): Buffer {
  const bytes = randomBytes(8);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes;
}
