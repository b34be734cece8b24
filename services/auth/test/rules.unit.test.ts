import { describe, expect, test } from "@jest/globals";
import { DomainError } from "#platform/errors.ts";
import { parseLimits, parseName } from "../domain/organization.ts";
import { allScopes, grantScopes, parseScopes } from "../domain/scopes.ts";

const problemsOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code, fields: error.details.map((d) => d.field) };
    throw error;
  }
  return undefined;
};

describe("parseName", () => {
  test("blanks around a name are dropped", () => {
    expect(parseName("  Straße & Söhne 法人 ")).toBe("Straße & Söhne 法人");
  });

  test("blank names and names with control characters are refused", () => {
    for (const name of ["", "   ", "\t", "a\u0000b", "a\nb", "a\u007fb", "a\u2028b", "a\ud800b"]) {
      expect(problemsOf(() => parseName(name))).toEqual({ code: "VALIDATION_FAILED", fields: ["name"] });
    }
  });
});

describe("parseLimits", () => {
  test("named groups are kept, others stay absent", () => {
    expect(parseLimits({ accept: 1, sign: 5 })).toEqual({ accept: 1, sign: 5 });
    expect(parseLimits({})).toEqual({});
  });

  test("zero and what does not fit into the column are refused, all at once", () => {
    expect(problemsOf(() => parseLimits({ accept: 0, render: 4_294_967_295, other: 7 }))).toEqual({
      code: "VALIDATION_FAILED",
      fields: ["limits.accept", "limits.render"],
    });
  });
});

describe("parseScopes", () => {
  test("repeated scopes count once, in the order of the list", () => {
    expect(parseScopes(["click:accept", "sign:read", "click:accept"])).toEqual(["sign:read", "click:accept"]);
    expect(parseScopes(allScopes)).toEqual([...allScopes]);
  });

  test("every unknown scope is named", () => {
    expect(problemsOf(() => parseScopes(["click:read", "click:*", "", "CLICK:READ"]))).toEqual({
      code: "VALIDATION_FAILED",
      fields: ["scopes[1]", "scopes[2]", "scopes[3]"],
    });
  });
});

describe("grantScopes", () => {
  const allowed = ["click:read", "click:accept"];

  test("an empty request is granted everything allowed", () => {
    expect(grantScopes([], allowed)).toEqual(allowed);
  });

  test("what is requested and allowed is granted, the rest is left out", () => {
    expect(grantScopes(["click:accept", "click:admin", "made:up"], allowed)).toEqual(["click:accept"]);
  });

  test("signature stands for all scopes of signing that the client may have, and for nothing else", () => {
    const both = ["sign:read", "sign:send", "click:read"];
    expect(grantScopes(["signature"], both)).toEqual(["sign:read", "sign:send"]);
    expect(grantScopes(["signature", "click:read", "impersonation"], both)).toEqual(both);
    expect(problemsOf(() => grantScopes(["signature"], allowed))?.code).toBe("OAUTH_INVALID_SCOPE");
    expect(problemsOf(() => grantScopes(["signature", "impersonation"], allowed))?.code).toBe("OAUTH_INVALID_SCOPE");
  });

  test("impersonation and extended grant nothing, and a request of nothing else names none", () => {
    expect(grantScopes(["impersonation", "extended"], allowed)).toEqual(allowed);
    expect(grantScopes(["impersonation", "click:read", "extended"], allowed)).toEqual(["click:read"]);
  });

  test("a request of which nothing is allowed is refused", () => {
    expect(problemsOf(() => grantScopes(["click:admin"], allowed))?.code).toBe("OAUTH_INVALID_SCOPE");
    expect(problemsOf(() => grantScopes([""], allowed))?.code).toBe("OAUTH_INVALID_SCOPE");
  });
});
