import type { Bytes } from "./bytes.ts";
import { ensure } from "./finding.ts";

/** A key that Web Crypto has imported. */
export type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The 32 bytes of RFC 8032 §5.1.5. */
export async function importEd25519(bytes: Bytes, name: string): Promise<Key> {
  ensure(bytes.length === 32, `${name} does not have the 32 bytes of an Ed25519 key`);
  return crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
}

export const isSigned = (key: Key, signature: Bytes, data: Bytes): Promise<boolean> =>
  crypto.subtle.verify("Ed25519", key, signature, data);

/** Why nothing can be verified here; undefined when it can. */
export async function missingSupport(): Promise<string | undefined> {
  if (globalThis.crypto?.subtle === undefined) {
    return "This page was not loaded over HTTPS, and browsers offer cryptography only where it was. Open it over https://, or run the verifier with Node.";
  }
  try {
    // The public key of RFC 8032 §7.1, test 1.
    const key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    await importEd25519(
      Uint8Array.from(key.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
      "the test key",
    );
    return undefined;
  } catch {
    return "This browser cannot check Ed25519 signatures. Use a newer one, or run the verifier with Node 20 or later.";
  }
}
