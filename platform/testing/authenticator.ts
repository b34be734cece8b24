import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

interface Wanted {
  readonly challenge: string;
  readonly rpId: string;
  readonly origin: string;
}

/** How this one differs from one that does everything right. */
export interface Habits {
  /** Whether it makes sure who uses it. */
  readonly verifies?: boolean;
  /** Whether it counts its signatures. */
  readonly counts?: boolean;
  readonly discoverable?: boolean;
}

const userPresent = 0x01;
const userVerified = 0x04;
const hasKey = 0x40;

/** An authenticator with the browser around it: makes one passkey with ES256 and signs with it. */
export class Authenticator {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #id = randomBytes(16);
  readonly #habits: Required<Habits>;
  #userHandle = "";
  #count = 0;

  constructor(habits: Habits = {}) {
    this.#habits = { verifies: true, counts: false, discoverable: true, ...habits };
  }

  get id(): string {
    return this.#id.toString("base64url");
  }

  /** Sets its count, as a copy has one of its own. */
  set count(count: number) {
    this.#count = count;
  }

  make(wanted: Wanted & { readonly userHandle: string }) {
    this.#userHandle = wanted.userHandle;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const key = Buffer.concat([Buffer.alloc(16), length, this.#id, coseKey(this.#keys.publicKey)]);
    const data = Buffer.concat([this.#data(wanted.rpId, hasKey), key]);
    return {
      id: this.id,
      clientDataJson: clientData("webauthn.create", wanted).toString("base64url"),
      attestationObject: attestationOf(data).toString("base64url"),
      transports: ["internal"],
      discoverable: this.#habits.discoverable,
    };
  }

  sign(wanted: Wanted) {
    if (this.#habits.counts) this.#count += 1;
    const data = this.#data(wanted.rpId, 0);
    const client = clientData("webauthn.get", wanted);
    const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
    return {
      id: this.id,
      clientDataJson: client.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#keys.privateKey).toString("base64url"),
      userHandle: this.#userHandle,
    };
  }

  #data(rpId: string, more: number): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(userPresent | (this.#habits.verifies ? userVerified : 0) | more, 0);
    head.writeUInt32BE(this.#count, 1);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), head]);
  }
}

const clientData = (type: string, { challenge, origin }: Wanted): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

/** `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` in CBOR. */
function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const point = (name: number, value: string) =>
    Buffer.concat([Buffer.from([name, 0x58, 32]), Buffer.from(value, "base64url")]);
  return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]), point(0x21, x), point(0x22, y)]);
}

/** `{"fmt": "none", "attStmt": {}, "authData": …}` in CBOR. */
function attestationOf(data: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
  const length = Buffer.from([0x59, data.length >> 8, data.length & 0xff]);
  const parts = [text("fmt"), text("none"), text("attStmt"), Buffer.from([0xa0]), text("authData"), length, data];
  return Buffer.concat([Buffer.from([0xa3]), ...parts]);
}
