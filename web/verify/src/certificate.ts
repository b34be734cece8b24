import { type Bytes, fromBase64, isSame, utf8Text } from "./bytes.ts";
import {
  boolean,
  contextTag,
  type Der,
  derTime,
  integer,
  octets,
  oid,
  partsOf,
  readDer,
  requireTag,
  sequence,
  smallInteger,
  tags,
  wholeBits,
} from "./der.ts";
import { ensure, fail } from "./finding.ts";
import { oids } from "./object-ids.ts";

/** An X.509 certificate (RFC 5280), as far as chains of time-stamping authorities need it. */
export interface Certificate {
  readonly whole: Bytes;
  /** What its issuer has signed. */
  readonly signed: Der;
  readonly algorithm: Der;
  readonly signature: Bytes;
  readonly serial: Bytes;
  /** Names, as they are encoded. */
  readonly issuer: Bytes;
  readonly subject: Bytes;
  /** For people. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: Der;
  readonly extensions: ReadonlyMap<string, Extension>;
}

export interface Extension {
  readonly isCritical: boolean;
  readonly value: Der;
}

const pemPattern = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** The certificates in a PEM text. */
export function parseCertificates(pem: string, name: string): Certificate[] {
  const found = [...pem.matchAll(pemPattern)].map(([, body = ""]) => fromBase64(body.replaceAll(/\s/g, ""), name));
  ensure(found.length > 0, `${name} holds no certificate in PEM`);
  return found.map((bytes) => parseCertificate(readDer(bytes, name), name));
}

export function parseCertificate(element: Der, name: string): Certificate {
  const [signed, algorithm, signature, ...others] = sequence(element, name);
  ensure(others.length === 0, `${name} is not a certificate`);
  const fields = sequence(signed, name);
  // Version 3: only it has extensions, which tell what a key is for.
  const [version] = partsOf(requireTag(fields[0], contextTag(0), name), name);
  ensure(smallInteger(version, name) === 2, `${name} is not a certificate of version 3`);
  const [, serial, inner, issuer, validity, subject, publicKey, ...rest] = fields;
  const outer = requireTag(algorithm, tags.sequence, name);
  ensure(isSame(outer.whole, requireTag(inner, tags.sequence, name).whole), `${name} names two signature algorithms`);
  const [notBefore, notAfter] = sequence(validity, name);
  const extensions = rest.find(({ tag }) => tag === contextTag(3));
  return {
    whole: element.whole,
    signed: requireTag(signed, tags.sequence, name),
    algorithm: outer,
    signature: wholeBits(signature, name),
    serial: integer(serial, name),
    issuer: requireTag(issuer, tags.sequence, name).whole,
    subject: requireTag(subject, tags.sequence, name).whole,
    name: nameOf(subject, name),
    notBefore: derTime(notBefore, name),
    notAfter: derTime(notAfter, name),
    publicKey: requireTag(publicKey, tags.sequence, name),
    extensions: extensions === undefined ? new Map() : readExtensions(extensions, name),
  };
}

function readExtensions(element: Der, name: string): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  const [listed] = partsOf(element, name);
  for (const item of sequence(listed, name)) {
    const [id, ...parts] = sequence(item, name);
    const isCritical = parts.length === 2 && boolean(parts[0], name);
    const key = oid(id, name);
    ensure(!extensions.has(key), `${name} has an extension twice`);
    extensions.set(key, { isCritical, value: readDer(octets(parts.at(-1), name), name) });
  }
  return extensions;
}

/** The common name, or the organization's. */
function nameOf(subject: Der | undefined, name: string): string {
  const attributes = new Map<string, string>();
  for (const set of sequence(subject, name)) {
    for (const attribute of partsOf(set, name)) {
      const [id, value] = sequence(attribute, name);
      if (value !== undefined) attributes.set(oid(id, name), readable(value));
    }
  }
  return attributes.get(oids.commonName) ?? attributes.get(oids.organizationName) ?? "unnamed";
}

const utf8String = 0x0c;

function readable({ tag, content }: Der): string {
  return tag === utf8String ? utf8Text(content, "a name") : String.fromCharCode(...content.slice(0, 200));
}

/** The purposes of a key, and whether that extension is critical; undefined when the certificate does not restrict them. */
export function purposesOf({ extensions }: Certificate): { purposes: string[]; isCritical: boolean } | undefined {
  const extension = extensions.get(oids.extendedKeyUsage);
  if (extension === undefined) return undefined;
  const name = "the purposes of a certificate";
  return { purposes: sequence(extension.value, name).map((id) => oid(id, name)), isCritical: extension.isCritical };
}

/** Extensions that are read here; another one that is critical forbids to use a certificate (RFC 5280 §4.2). */
const understood: readonly string[] = [
  oids.keyUsage,
  oids.basicConstraints,
  oids.extendedKeyUsage,
  // Certificate policies are information for people; they do not make a chain invalid.
  oids.certificatePolicies,
];

export function requireUnderstood({ extensions, name }: Certificate): void {
  for (const [id, { isCritical }] of extensions) {
    if (isCritical && !understood.includes(id))
      fail(`the certificate "${name}" has a restriction (${id}) that is not understood`);
  }
}

const certificateSigning = 5;

/** The path length limit of an authority; undefined for a certificate of no authority. */
export function authorityDepth({ extensions }: Certificate): number | undefined {
  const name = "the basic constraints of a certificate";
  const constraints = extensions.get(oids.basicConstraints)?.value;
  const [isAuthority, depth] = constraints === undefined ? [] : sequence(constraints, name);
  if (isAuthority === undefined || !boolean(isAuthority, name) || !maySign(extensions)) return undefined;
  return depth === undefined ? Number.POSITIVE_INFINITY : smallInteger(depth, name);
}

function maySign(extensions: Certificate["extensions"]): boolean {
  const usage = extensions.get(oids.keyUsage)?.value;
  if (usage === undefined) return true;
  const [, bits = 0] = requireTag(usage, tags.bitString, "the key usage of a certificate").content;
  return ((bits >> (7 - certificateSigning)) & 1) === 1;
}
