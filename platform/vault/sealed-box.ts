import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from "node:crypto";

const ivBytes = 12;
const tagBytes = 16;
/** Of each seed that keys are derived from. */
export const seedBytes = 32;

const seeds = Buffer.allocUnsafe(seedBytes * 256);
let seedOffset = seeds.length;

/** A fresh seed; random numbers come much cheaper in large pieces. */
export function newSeed(): Buffer {
  if (seedOffset === seeds.length) {
    randomFillSync(seeds);
    seedOffset = 0;
  }
  const seed = Buffer.from(seeds.subarray(seedOffset, seedOffset + seedBytes));
  seeds.fill(0, seedOffset, seedOffset + seedBytes);
  seedOffset += seedBytes;
  return seed;
}

const ivs = Buffer.allocUnsafe(ivBytes * 512);
let ivOffset = ivs.length;

function newIv(): Buffer {
  if (ivOffset === ivs.length) {
    randomFillSync(ivs);
    ivOffset = 0;
  }
  ivOffset += ivBytes;
  return ivs.subarray(ivOffset - ivBytes, ivOffset);
}

/**
 * AES-256-GCM: iv (12 bytes), tag (16 bytes), ciphertext. `context` is not stored: it says where the box belongs, and must be
 * given again to open it.
 */
export function sealBox(key: KeyObject, context: string, plain: string | Uint8Array): Buffer {
  const iv = newIv();
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context));
  const encrypted = typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain);
  cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

/** Throws when the key or the context is another one, or a bit has changed. */
export function openBox(key: KeyObject, context: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  const plain = decipher.update(sealed.subarray(ivBytes + tagBytes));
  decipher.final();
  return plain;
}

/** Whether it can be opened so. */
export function opens(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}
