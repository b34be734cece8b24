import type { AuthenticatorTransport, StoredPasskey } from "./passkey-store.ts";

/** What a browser has brought from an authenticator that was to sign. */
export interface Assertion {
  readonly id: string;
  readonly clientDataJson: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

/** What a browser has brought from an authenticator that has made a passkey. */
export interface Attestation {
  readonly id: string;
  readonly clientDataJson: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

/** What has to be in the data that was signed. */
interface Expected {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
}

/** ES256, EdDSA and RS256, in COSE. */
const algorithms = [-7, -8, -257];
const knownTransports: ReadonlySet<string> = new Set([
  "ble",
  "cable",
  "hybrid",
  "internal",
  "nfc",
  "smart-card",
  "usb",
]);

export const isTransport = (name: string): name is AuthenticatorTransport => knownTransports.has(name);

/** The host that passkeys of this address belong to; undefined where browsers make none. */
export function rpIdOf(origin: string): string | undefined {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return undefined;
  const isSecure = url.protocol === "https:" || url.hostname === "localhost";
  return isSecure && !isAddress(url.hostname) ? url.hostname : undefined;
}

const isAddress = (host: string): boolean => host.startsWith("[") || /^[\d.]+$/.test(host);

/** The challenge in what the browser says that was signed; empty for what cannot be read. */
export function challengeIn(clientDataJson: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJson, "base64url").toString());
    const { challenge } = (data ?? {}) as { readonly challenge?: unknown };
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}

// Loaded with the first passkey: most processes need it late or never.
const library = () => import("@simplewebauthn/server");

/** The key of a new passkey, from which no proof of its maker is asked; undefined for what is not one. */
export async function readAttestation(made: Attestation, { challenge, origin, rpId }: Expected) {
  const { verifyRegistrationResponse } = await library();
  const { id, clientDataJson: clientDataJSON, attestationObject } = made;
  const verified = await verifyRegistrationResponse({
    response: {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: { clientDataJSON, attestationObject },
    },
    ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
    ...{ requireUserVerification: false, supportedAlgorithmIDs: algorithms },
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { credential, userVerified, credentialBackedUp } = verified.registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, "base64url"),
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    isUserVerified: userVerified,
    isSynced: credentialBackedUp,
  };
}

/** What the authenticator says beside its signature; undefined when the passkey has not signed this. */
export async function readAssertion(
  { id, clientDataJson: clientDataJSON, authenticatorData, signature }: Assertion,
  passkey: Pick<StoredPasskey, "publicKey">,
  { challenge, origin, rpId }: Expected,
) {
  const { verifyAuthenticationResponse } = await library();
  const verified = await verifyAuthenticationResponse({
    response: {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: { clientDataJSON, authenticatorData, signature },
    },
    // The count is compared by the caller, which writes down what it finds.
    credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: false },
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { newCounter, userVerified, credentialBackedUp } = verified.authenticationInfo;
  return { signCount: newCounter, isUserVerified: userVerified, isSynced: credentialBackedUp };
}

/** Whether somebody else has signed with a copy of the key: an authenticator that counts never repeats a number. */
export const isRepeated = (stored: number, shown: number): boolean => (stored > 0 || shown > 0) && shown <= stored;
