import { hashLabel, utf8, utf8Text } from "./bytes.ts";
import { isSigned } from "./ed25519.ts";
import { ensure, type Finding, fail, find, notPresent, type Outcome, pass } from "./finding.ts";
import { canonicalJson, isObject, parseJson } from "./json.ts";
import { parseJws } from "./jws.ts";
import { findKey, requireInTime } from "./keys.ts";
import { at, isoTime, text, time } from "./read.ts";
import type { Run } from "./run.ts";

const bundleTyp = "click-evidence+jws";

/** Checks the signature over the whole bundle, and names the source of the keys. */
export async function checkBundle(run: Run): Promise<Finding[]> {
  return [
    await find("BUNDLE_SIGNATURE", undefined, () => checkSignature(run)),
    await find("KEYS", undefined, () => checkKeys(run)),
    await find("KEY_VALIDITY", undefined, () => checkSigner(run)),
  ];
}

async function checkSignature({ bundle, keys, records }: Run): Promise<Outcome> {
  const { bundleSignature, ...others } = isObject(bundle) ? bundle : fail("the bundle is not an object");
  const jws = parseJws(text(bundle, "bundleSignature.jws"), bundleTyp, "the bundle's signature");
  const members = isObject(bundleSignature ?? null) ? Object.keys(bundleSignature as object).sort() : [];
  ensure(members.join() === "alg,jws,kid", "the bundle's signature does not have exactly alg, kid and jws");
  ensure(text(bundle, "bundleSignature.alg") === "EdDSA", "the bundle's signature is not one of EdDSA");
  ensure(text(bundle, "bundleSignature.kid") === jws.kid, "the bundle's signature names two keys");
  const key = findKey(keys, jws.kid, "receipt");
  ensure(await isSigned(key.key, jws.signature, jws.signed), "the bundle's signature does not hold");
  const claims = parseJson(utf8Text(jws.payload, "what the bundle's signature is over"), "the bundle's signature");
  const digest = await hashLabel(utf8(canonicalJson(others)));
  ensure(text(claims, "digest") === digest, "the bundle was changed after it was signed");
  for (const [claim, member] of Object.entries(claimed)) {
    ensure(text(claims, claim) === text(bundle, member), `the bundle's signature is for another ${member}`);
  }
  const issuer = text(claims, "iss");
  const isOneIssuer = records.every(({ leaf }) => leaf === null || at(leaf, "iss") === issuer);
  ensure(isOneIssuer, `the bundle was signed by ${issuer}, and a record by another installation`);
  return pass(`The file is exactly as ${issuer} handed it out at ${text(bundle, "generatedAt")}.`);
}

const claimed = { bundleId: "bundleId", org: "organizationId", generatedAt: "generatedAt" };

function checkKeys({ keys }: Run): Outcome {
  ensure(keys.problems.length === 0, `keys that cannot be used: ${keys.problems.join("; ")}`);
  if (!keys.isGiven) {
    return notPresent(
      "The keys come from the bundle itself. Keys inside a bundle prove nothing by themselves: whoever forges a bundle puts keys of their own in it. Get the key file from the installation and verify again with it.",
    );
  }
  const counts = [
    counted(keys.signing.length, "signing key"),
    counted(keys.logs.length, "log key"),
    counted(
      keys.tsaCertificates?.length ?? 0,
      "certificate of a time-stamping authority",
      "certificates of time-stamping authorities",
    ),
  ];
  return pass(`The keys come from the key file: ${counts.join(", ")}.`);
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** A bundle can be fetched again at any time, so nothing excuses a key that was revoked. */
function checkSigner({ bundle, keys }: Run): Outcome {
  const { kid } = parseJws(text(bundle, "bundleSignature.jws"), bundleTyp, "the bundle's signature");
  const key = findKey(keys, kid, "receipt");
  requireInTime(key, time(bundle, "generatedAt"));
  if (key.revokedAt !== null) {
    fail(`the key that signed the bundle was revoked as of ${isoTime(key.revokedAt)}; fetch the bundle again`);
  }
  return pass("The key that signed the bundle was in use when the bundle was made.");
}
