import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { scopeMeanings } from "#api/scopes.ts";
import {
  type AuthenticateSessionResponse,
  AuthenticateSessionResponseSchema,
  UserRole,
} from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isDashboardScope } from "../auth/principal.ts";
import { createSessions, scopesOfRole } from "../sessions/authenticate-session.ts";
import { noSessionCookie, requireCsrfToken, sessionCookie, sessionTokenIn } from "../sessions/cookie.ts";

const https = "https://api.example.com";
const http = "http://127.0.0.1:8080";
const token = "A".repeat(43);

describe("the cookie of a session", () => {
  const expiresAt = new Date("2026-12-05T17:00:00Z");

  test("is bound to the host over https, and for the server alone", () => {
    expect(sessionCookie(token, expiresAt, https)).toBe(
      `__Host-assent_session=${token}; Expires=Sat, 05 Dec 2026 17:00:00 GMT; Path=/; HttpOnly; SameSite=Lax; Secure`,
    );
    expect(sessionCookie(token, expiresAt, http)).toBe(
      `assent_session=${token}; Expires=Sat, 05 Dec 2026 17:00:00 GMT; Path=/; HttpOnly; SameSite=Lax`,
    );
    expect(noSessionCookie(https)).toBe("__Host-assent_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure");
  });

  test("is found among others, and only under the name of its scheme", () => {
    expect(sessionTokenIn(`a=1; __Host-assent_session=${token};b=2`, https)).toBe(token);
    expect(sessionTokenIn(`assent_session=${token}`, http)).toBe(token);
    // Over https anybody of the same site could have set a cookie without the prefix.
    expect(sessionTokenIn(`assent_session=${token}`, https)).toBeUndefined();
    for (const header of [undefined, "", "assent_session", `xassent_session=${token}`, "x".repeat(20_000)]) {
      expect(sessionTokenIn(header, http)).toBeUndefined();
    }
  });
});

describe("the token against forgery", () => {
  const csrfToken = "c".repeat(43);
  const codeOf = (method: string, headers: Record<string, string>, publicUrl = https): string | undefined => {
    try {
      requireCsrfToken({ method, headers, publicUrl }, { csrfToken });
      return undefined;
    } catch (error) {
      return (error as DomainError).code;
    }
  };

  test("is not needed for reading", () => {
    for (const method of ["GET", "HEAD"]) expect(codeOf(method, {})).toBeUndefined();
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("is needed for %s, from a page of this installation", (method) => {
    const sent = { "x-csrf-token": csrfToken };
    expect(codeOf(method, sent)).toBeUndefined();
    expect(codeOf(method, { ...sent, origin: https })).toBeUndefined();
    const refused = [
      codeOf(method, {}),
      codeOf(method, { "x-csrf-token": "" }),
      codeOf(method, { "x-csrf-token": `${csrfToken}x` }),
      codeOf(method, { "x-csrf-token": "d".repeat(43) }),
      codeOf(method, { ...sent, origin: "https://evil.example" }),
      codeOf(method, { ...sent, origin: "null" }),
      codeOf(method, { ...sent, origin: "http://api.example.com" }),
      codeOf(method, { ...sent, origin: https }, ""),
    ];
    expect(new Set(refused)).toEqual(new Set(["CSRF_TOKEN_INVALID"]));
  });
});

describe("roles", () => {
  test("viewers read, developers do what API keys may and manage them, owners everything", () => {
    const all = Object.keys(scopeMeanings);
    const [viewer, developer, owner] = (["viewer", "developer", "owner"] as const).map((role) => [
      ...scopesOfRole(role),
    ]);
    expect(viewer).toEqual([...all.filter((scope) => /:read$/.test(scope)), "dashboard:read"]);
    expect(developer).toEqual([...all, "dashboard:read", "dashboard:write"]);
    expect(owner).toEqual([...all, "dashboard:read", "dashboard:write", "dashboard:admin"]);
  });

  test("no scope of the dashboard is one of clients", () => {
    expect(Object.keys(scopeMeanings).filter(isDashboardScope)).toEqual([]);
  });
});

describe("looking up sessions", () => {
  const visit = { ip: "192.0.2.1", userAgent: "", requestId: "r", traceparent: "" };
  const answer = (newSessionToken = ""): AuthenticateSessionResponse =>
    create(AuthenticateSessionResponseSchema, {
      newSessionToken,
      principal: {
        sessionId: "session",
        organizationId: "0190a000-0000-7000-8000-00000000000a",
        csrfToken: "csrf",
        expiresAt: timestampFromDate(new Date(10_000_000)),
        user: { id: "user", role: UserRole.VIEWER },
      },
    });
  const setup = () => {
    let now = 0;
    let asked = 0;
    let next: () => Promise<AuthenticateSessionResponse> = async () => answer();
    const logins = {
      authenticateSession: () => {
        asked += 1;
        return next();
      },
    };
    const sessions = createSessions({
      logins,
      revocations: { requireKnown: () => undefined },
      clock: { now: () => new Date(now) },
      monotonic: () => now,
    });
    return {
      sessions,
      asked: () => asked,
      pass: (ms: number) => {
        now += ms;
      },
      answerWith: (answering: typeof next) => {
        next = answering;
      },
    };
  };

  test("one answer serves requests for half a minute, and those that come at once", async () => {
    const { sessions, asked, pass } = setup();
    await Promise.all([sessions.authenticate(token, visit), sessions.authenticate(token, visit)]);
    pass(29_999);
    const { principal } = await sessions.authenticate(token, visit);
    expect([asked(), principal.clientId, principal.user.role]).toEqual([1, "user:user", "viewer"]);
    pass(1);
    await sessions.authenticate(token, visit);
    expect(asked()).toBe(2);
  });

  test.each(["session", "user"])("a change of the %s makes the next request ask again", async (id) => {
    const { sessions, asked } = setup();
    await sessions.authenticate(token, visit);
    sessions.forget("another");
    await sessions.authenticate(token, visit);
    expect(asked()).toBe(1);
    sessions.forget(id);
    await sessions.authenticate(token, visit);
    await sessions.authenticate(token, visit);
    expect(asked()).toBe(2);
  });

  test("an answer that was asked for before a change is not remembered", async () => {
    const { sessions, asked, answerWith } = setup();
    const { promise, resolve } = Promise.withResolvers<AuthenticateSessionResponse>();
    answerWith(() => promise);
    const early = sessions.authenticate(token, visit);
    sessions.forget("user");
    answerWith(async () => answer());
    await sessions.authenticate(token, visit);
    resolve(answer());
    await early;
    await sessions.authenticate(token, visit);
    expect(asked()).toBe(3);
  });

  test("an answer with a new token is not remembered", async () => {
    const { sessions, asked, answerWith } = setup();
    answerWith(async () => answer("B".repeat(43)));
    expect((await sessions.authenticate(token, visit)).newToken).toBe("B".repeat(43));
    await sessions.authenticate(token, visit);
    expect(asked()).toBe(2);
  });

  test("what cannot be a token is not asked about, and what has ended for five seconds not again", async () => {
    const { sessions, asked, pass, answerWith } = setup();
    answerWith(async () => {
      throw new DomainError("SESSION_ENDED");
    });
    const refusal = (value: string) => expect(sessions.authenticate(value, visit)).rejects.toThrow("session has ended");
    for (const value of ["", "x", "é".repeat(43), "A".repeat(10_000)]) await refusal(value);
    expect(asked()).toBe(0);
    await refusal(token);
    await refusal(token);
    expect(asked()).toBe(1);
    pass(5_000);
    await refusal(token);
    expect(asked()).toBe(2);
  });
});
