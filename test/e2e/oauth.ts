import { generateKeyPairSync } from "node:crypto";
import { beforeAll, expect, test } from "@jest/globals";
import { SignJWT } from "jose";
import { Api } from "../support/api.ts";
import { type System, scenario } from "../support/system.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export const signedAssertions = scenario("clients that sign assertions", (_mode, running) => {
  let system: System;
  let baseUrl: string;
  let organizationId: string;
  let clientId: string;
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

  beforeAll(async () => {
    system = running();
    ({ baseUrl, organizationId } = await system.newOrganization());
    const scopes = ["click:read", "sign:read", "sign:write"];
    const { client } = await system.admin.createOAuthClient({ organizationId, name: "Integration", scopes });
    clientId = client?.id ?? "";
  });

  /** As integrations of other signing platforms do it: as a form, for the organization, with the host as audience. */
  const fetchToken = async (scope: string) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: clientId, sub: organizationId, aud: new URL(baseUrl).host, iat: now, exp: now + 3600, scope };
    const assertion = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "JWT" }).sign(privateKey);
    const body = new URLSearchParams({ grant_type: jwtBearer, assertion }).toString();
    const contentType = { "content-type": "application/x-www-form-urlencoded", authorization: "" };
    return new Api(baseUrl, "", organizationId).call("POST", "/oauth/token", body, contentType);
  };

  test("get a token once their key is registered, learn their account, and get none when it is revoked", async () => {
    const before = await fetchToken("signature");
    expect([before.status, before.body.error]).toEqual([400, "invalid_grant"]);

    const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const { key } = await system.admin.addOAuthClientKey({ organizationId, clientId, publicKeyPem });
    const issued = await fetchToken("signature impersonation");
    expect(issued.body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "sign:read sign:write" });

    const api = new Api(baseUrl, issued.body.access_token, organizationId);
    const info = await api.get("/oauth/userinfo");
    expect(info.body).toMatchObject({ sub: organizationId, name: "Integration" });
    expect(info.body.accounts).toMatchObject([{ account_id: organizationId, is_default: true, base_uri: baseUrl }]);
    expect((await api.get("/v1/click/templates")).body.errorCode).toBe("INSUFFICIENT_SCOPE");

    await system.admin.revokeOAuthClientKey({ organizationId, clientId, keyId: key?.id ?? "" });
    const after = await fetchToken("signature");
    expect([after.status, after.body]).toEqual([400, before.body]);
    expect((await api.get("/oauth/userinfo")).status).toBe(200);
  });
});
