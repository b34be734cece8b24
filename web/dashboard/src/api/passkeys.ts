import type { AnswerOf, CreateOf } from "#api/members.ts";
import type { newPasskey, newPasskeyChallenge, passkeyChallenge, passkeyLogin } from "#api/passkeys.ts";
import type { SignedIn } from "#api/users.ts";
import type { Api } from "./client.ts";
import { ApiError } from "./errors.ts";

export type PasskeyChallenge = AnswerOf<typeof passkeyChallenge.table>;
type NewChallenge = AnswerOf<typeof newPasskeyChallenge.table>;
type MadePasskey = Omit<CreateOf<typeof newPasskey.table>, "name">;

/** Signs in with a passkey that the person chooses, and nothing else. */
export async function loginWithPasskey(api: Api): Promise<SignedIn> {
  const path = "/v1/dashboard/login/passkey";
  const { challenge, rpId } = await api.send<AnswerOf<typeof passkeyLogin.table>>("POST", `${path}/challenge`);
  const { userHandle, ...signed } = await sign({ challenge, rpId, userVerification: "required" });
  return api.send<SignedIn>("POST", path, { ...signed, userHandle });
}

/** Finishes a sign-in after the password. */
export async function continueWithPasskey(
  api: Api,
  pendingToken: string,
  { challenge, rpId, known }: PasskeyChallenge,
): Promise<SignedIn> {
  const { userHandle: _, ...signed } = await sign({ challenge, rpId, known, userVerification: "discouraged" });
  return api.send<SignedIn>("POST", "/v1/dashboard/login/code/passkey", { pendingToken, ...signed });
}

interface Wanted {
  readonly challenge: string;
  readonly rpId: string;
  readonly known?: PasskeyChallenge["known"];
  readonly userVerification: UserVerificationRequirement;
}

async function sign({ challenge, rpId, known = [], userVerification }: Wanted) {
  const credential = await asked(() =>
    navigator.credentials.get({
      publicKey: { challenge: bytesOf(challenge), rpId, allowCredentials: known.map(descriptorOf), userVerification },
    }),
  );
  const { response } = credential;
  if (!(response instanceof AuthenticatorAssertionResponse)) throw refused("PASSKEY_CANCELLED");
  return {
    id: textOf(credential.rawId),
    clientDataJson: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    userHandle: response.userHandle === null ? "" : textOf(response.userHandle),
  };
}

/** Makes a passkey on this device, or on another one that the person chooses. */
export async function makePasskey(wanted: NewChallenge): Promise<MadePasskey> {
  const { challenge, rpId, rpName, userHandle, userName, displayName, known } = wanted;
  const credential = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(challenge),
        rp: { id: rpId, name: rpName },
        user: { id: bytesOf(userHandle), name: userName, displayName },
        // ES256, EdDSA, RS256.
        pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: known.map(descriptorOf),
        authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
        attestation: "none",
        extensions: { credProps: true },
      },
    }),
  );
  const { response } = credential;
  if (!(response instanceof AuthenticatorAttestationResponse)) throw refused("PASSKEY_CANCELLED");
  const discoverable = credential.getClientExtensionResults().credProps?.rk;
  return {
    id: textOf(credential.rawId),
    clientDataJson: textOf(response.clientDataJSON),
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
    ...(discoverable === undefined ? {} : { discoverable }),
  };
}

/** Browsers say nothing of why no passkey was used, so that pages learn nothing of the person. */
async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    const isKnown = error instanceof DOMException && error.name === "InvalidStateError";
    throw refused(isKnown ? "PASSKEY_EXISTS" : "PASSKEY_CANCELLED");
  }
  throw refused("PASSKEY_CANCELLED");
}

const refused = (code: string): ApiError =>
  new ApiError({ status: 0, code, message: "The passkey was not used.", requestId: "", details: [] });

const descriptorOf = ({ id, transports }: PasskeyChallenge["known"][number]): PublicKeyCredentialDescriptor => ({
  type: "public-key",
  id: bytesOf(id),
  transports: transports as AuthenticatorTransport[],
});

const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
