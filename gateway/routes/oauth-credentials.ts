import { DomainError } from "#platform/errors.ts";

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Credentials as a body has them; an empty parameter counts as omitted. */
interface BodyCredentials {
  readonly client_id?: string;
  readonly client_secret?: string;
}

/** RFC 6749 §2.3.1: in the body or as HTTP Basic, but not both. */
export function readCredentials(body: BodyCredentials, authorization: string | undefined): Credentials {
  const { client_id: id = "", client_secret: secret = "" } = body;
  const basic = isBasic(authorization) ? readBasic(authorization) : undefined;
  if (basic !== undefined && (secret !== "" || (id !== "" && id !== basic.clientId))) {
    throw new DomainError("OAUTH_INVALID_REQUEST", {
      message: "The client authenticates in two ways. Use one of them.",
    });
  }
  const { clientId, clientSecret } = basic ?? { clientId: id, clientSecret: secret };
  // Ours are printable, so nothing else names a client or is logged, counted and looked up as one.
  if (!/^[\x21-\x7e]{1,100}$/.test(clientId) || !/^[\x20-\x7e]{1,200}$/.test(clientSecret)) {
    throw new DomainError("OAUTH_INVALID_CLIENT");
  }
  return { clientId, clientSecret };
}

/** Other schemes say nothing at the token endpoint: many clients send their old access token with every request. */
export const isBasic = (authorization: string | undefined): authorization is string =>
  authorization !== undefined && /^basic(?: |$)/i.test(authorization);

/** Both halves are form-encoded before they are put together. */
function readBasic(authorization: string): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw new DomainError("OAUTH_INVALID_CLIENT");
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  try {
    return {
      clientId: decodeURIComponent(id.replaceAll("+", " ")),
      clientSecret: decodeURIComponent(secret.replaceAll("+", " ")),
    };
  } catch {
    throw new DomainError("OAUTH_INVALID_CLIENT");
  }
}
