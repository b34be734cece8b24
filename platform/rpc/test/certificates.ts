// X.509 certificates for tests, so that they need no program besides Node.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Authority extends Certificate {
  /**
   * A certificate for these host names, IPv4 addresses or URIs, good for both ends of a connection; for an hour when no
   * end is given.
   */
  issue(names: string | readonly string[], until?: number): Certificate;
}

/** A certificate authority of its own, valid for an hour when no end is given. */
export function createAuthority(name: string, end?: number): Authority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const isAuthority = extension("551d13", true, sequence(boolean(true)));
  const self = certificate(name, keys.publicKey, name, keys.privateKey, [isAuthority], end);
  return {
    ...pemPair(self, keys.privateKey),
    issue: (given, until) => {
      const names = [given].flat();
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const issued = certificate(
        names[0] ?? "",
        own.publicKey,
        name,
        keys.privateKey,
        [extension("551d11", false, sequence(...names.map(alternativeName)))],
        until,
      );
      return pemPair(issued, own.privateKey);
    },
  };
}

function alternativeName(subject: string): Buffer {
  if (isIPv4(subject)) return tagged(0x87, Buffer.from(subject.split(".").map(Number)));
  return tagged(subject.includes("://") ? 0x86 : 0x82, Buffer.from(subject));
}

const hour = 3_600_000;

function certificate(
  subject: string,
  key: KeyObject,
  issuer: string,
  issuerKey: KeyObject,
  extensions: Buffer[],
  until = Date.now() + hour,
): Buffer {
  const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(utcTime(Math.min(until - 2 * hour, Date.now() - hour)), utcTime(until)),
    commonName(subject),
    key.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions)),
  );
  return sequence(body, ecdsaWithSha256, bitString(sign("sha256", body, issuerKey)));
}

const pemPair = (der: Buffer, key: KeyObject): Certificate => ({
  cert: `-----BEGIN CERTIFICATE-----\n${(der.toString("base64").match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`,
  key: key.export({ type: "pkcs8", format: "pem" }) as string,
});

/** DER (X.690): a tag, the length of the content, the content. */
function tagged(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length: size } = body;
  // The shortest form is the only one in DER, and some libraries take no other.
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: Buffer[]): Buffer => tagged(0x30, ...content);
const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const bitString = (bytes: Buffer): Buffer => tagged(0x03, Buffer.from([0]), bytes);
const objectId = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, "hex"));
const utcTime = (millis: number): Buffer =>
  tagged(0x17, Buffer.from(`${new Date(millis).toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`));
const commonName = (name: string): Buffer =>
  sequence(tagged(0x31, sequence(objectId("550403"), tagged(0x0c, Buffer.from(name)))));
const extension = (id: string, isCritical: boolean, value: Buffer): Buffer =>
  sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), tagged(0x04, value));
