import { hash } from "node:crypto";
import type { LoginWithIdentityResponse } from "#gen/assent/auth/v1/users_pb.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { jsonReply, type Reply } from "../../http/reply.ts";
import { type IdentityProvider, LoginRefused, type ProvenIdentity } from "../../oidc/identity-provider.ts";
import {
  choiceCookie,
  type LoginUnderWay,
  noChoiceCookie,
  noUnderWayCookie,
  readChoice,
  readUnderWay,
  underWayCookie,
} from "../../oidc/login-cookies.ts";
import { redirect, unopened } from "../../signing/replies.ts";
import { defineRoute, queryOf, type Route, type RouteRequest } from "../route.ts";
import { answer, anyText, described, example, flag, listOf, orNull, text, uuid } from "../schema-parts.ts";
import type { Services } from "../services.ts";
import { dashboardBase, onBehalfOfNobody, visitorOf } from "./base.ts";
import { signedInReply } from "./login.ts";

const base = { ...dashboardBase, method: "GET", access: "public" } as const;
const beginPath = "/v1/dashboard/login/oidc";
const callbackPath = `${beginPath}/callback` as const;

interface Begun {
  readonly next?: string;
  readonly organizationId?: string;
}

interface BroughtBack {
  readonly code?: string;
  readonly state?: string;
  readonly iss?: string;
  readonly error?: string;
  readonly error_description?: string;
}

/** Link previews and prefetching browsers begin no sign-in and use up no code. */
const headOnly = {
  status: 200,
  description: "Empty, for HEAD requests.",
  contentType: "text/html",
} as const;

/** Signing in with what the identity provider of the installation says. */
export const oidcRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listLoginMethods",
    path: "/v1/dashboard/login/methods",
    summary: "List how people can sign in",
    success: {
      status: 200,
      description: "The options on the sign-in page.",
      schema: answer({
        password: described(flag, "Always possible."),
        passkeys: described(flag, "Whether browsers make passkeys for this address: over https, or at localhost."),
        identityProvider: orNull(
          answer({
            name: example(described(anyText, "What people know it by."), "Example SSO"),
            url: example(described(anyText, "Where a browser begins."), beginPath),
          }),
        ),
        organizations: described(
          listOf(answer({ id: uuid, name: example(anyText, "Example AG") })),
          "The organizations to choose from if the identity provider named someone who is a user of several: start again with one of them.",
        ),
      }),
    },
    errors: [],
    call: async ({ headers, publicUrl }) => readChoice(headers.cookie, publicUrl()),
    respond: (organizations, { publicUrl }, { identityProvider }) =>
      jsonReply(200, {
        password: true,
        passkeys: takesPasskeys(publicUrl()),
        identityProvider: identityProvider === undefined ? null : { name: identityProvider.name, url: beginPath },
        organizations,
      }),
  }),
  defineRoute({
    ...base,
    operationId: "beginOidcLogin",
    path: beginPath,
    summary: "Go to the identity provider",
    description: "For browsers. The provider's response is accepted within 10 minutes, from the same browser.",
    query: queryOf<Begun>({
      next: example(described(text(0, 500), "The page to open afterwards, below /dashboard."), "/webhooks"),
      organizationId: described(uuid, "One of the organizations from an earlier response."),
    }),
    success: {
      ...headOnly,
      also: { 303: "To the identity provider, or back to the sign-in page when it does not answer." },
      headers: { Location: "Where to go on.", "Set-Cookie": "What binds the login to this browser." },
    },
    errors: ["NOT_FOUND"],
    call: begin,
    respond: (reply) => reply,
  }),
  defineRoute({
    ...base,
    operationId: "finishOidcLogin",
    path: callbackPath,
    summary: "Return from the identity provider",
    description:
      "For browsers. Signs in the user that the provider identifies, found by subject or, the first time, by verified email address. Users are never created, and aren't asked for a two-factor code.",
    query: queryOf<BroughtBack>({
      code: example(text(0, 4_000, "What the provider gives for the login."), "SplxlOBeZQQYbYS6WxSbIA"),
      state: example(text(0, 500, "What the login began with."), "af0ifjsldkj"),
      iss: example(text(0, 500, "Which provider it is."), "https://login.example.com"),
      error: example(text(0, 200, "Why there is no code."), "access_denied"),
      error_description: example(text(0, 2_000, "The same for people; no one is shown it."), "Cancelled"),
    }),
    success: {
      ...headOnly,
      also: { 303: "To the dashboard, or to the sign-in page, which says why no one was signed in." },
      headers: { Location: "Where to go on.", "Set-Cookie": "The session." },
    },
    errors: ["NOT_FOUND", "RATE_LIMIT_EXCEEDED"],
    call: finish,
    respond: (reply) => reply,
  }),
];

/** Passkeys belong to the name of a host. */
function takesPasskeys(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl || "http://0.0.0.0");
  return (protocol === "https:" || hostname === "localhost") && !/^[\d.]+$|^\[/.test(hostname);
}

type Request<Query> = RouteRequest<string, Query>;

function requireProvider({ identityProvider }: Pick<Services, "identityProvider">): IdentityProvider {
  if (identityProvider === undefined) throw new DomainError("NOT_FOUND");
  return identityProvider;
}

async function begin({ method, query, publicUrl }: Request<Begun>, services: Services): Promise<Reply> {
  const provider = requireProvider(services);
  if (method === "HEAD") return unopened;
  const origin = publicUrl();
  const { next = "/", organizationId = "" } = query;
  try {
    const { url, secrets } = await provider.begin(`${origin}${callbackPath}`);
    return redirect(url, { "Set-Cookie": underWayCookie({ ...secrets, next, organizationId }, origin) });
  } catch (error) {
    return toLogin(refusalOf(error), next);
  }
}

async function finish(request: Request<BroughtBack>, services: Services): Promise<Reply> {
  const provider = requireProvider(services);
  const origin = request.publicUrl();
  const login = readUnderWay(request.headers.cookie, origin);
  if (request.method === "HEAD") return unopened;
  if (login === undefined) return toLogin("expired");
  // Of another login than this browser's: the provider need not be asked.
  if (request.query.state !== login.state) return toLogin("failed", login.next, ended(origin));
  const { ip } = request.observed;
  const guarded = guardedOf(login);
  services.tokenGuard.requireCalm(ip, guarded);
  try {
    const identity = await provider.finish(addressOf(request), login);
    return await enter(request, services, { identity, login });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === "failed" || refusal === "unknown") await services.tokenGuard.recordFailure(ip, guarded);
    return toLogin(refusal, login.next, ended(origin));
  }
}

/**
 * What failures are counted at, beside their address: each one costs the provider a look at a code. One login is tried in
 * vain only so often, and others behind the same address do not wait for it.
 */
const guardedOf = ({ state }: LoginUnderWay): string => `oidc:${hash("sha256", state, "base64url")}`;

const ended = (origin: string) => ({ "Set-Cookie": noUnderWayCookie(origin) });

/** The address that the provider has led the browser to, as it knows it. */
function addressOf({ query, publicUrl }: Request<BroughtBack>): URL {
  const address = new URL(`${publicUrl()}${callbackPath}`);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  return address;
}

interface Entering {
  readonly identity: ProvenIdentity;
  readonly login: LoginUnderWay;
}

async function enter(
  request: Request<BroughtBack>,
  { logins }: Services,
  { identity, login }: Entering,
): Promise<Reply> {
  const wanted = login.organizationId === "" ? {} : { organizationId: login.organizationId };
  const named = { ...identity, ...wanted, visitor: visitorOf(request) };
  const { outcome } = await logins.loginWithIdentity(named, onBehalfOfNobody(request));
  const origin = request.publicUrl();
  if (outcome.case === "signedIn") {
    const { "Set-Cookie": session } = signedInReply(outcome.value, request).headers ?? {};
    const cookies = [session, noUnderWayCookie(origin), noChoiceCookie(origin)].flat();
    return redirect(nextUrl(login.next), { "Set-Cookie": cookies.filter((cookie) => cookie !== undefined) });
  }
  const cookies = [noUnderWayCookie(origin), choiceCookie(optionsOf(outcome), origin)];
  return redirect(loginUrl({ choose: "organization" }, login.next), { "Set-Cookie": cookies });
}

const optionsOf = ({ case: kind, value }: LoginWithIdentityResponse["outcome"]) =>
  kind === "choice" ? value.options.map(({ organizationId, name }) => ({ id: organizationId, name })) : [];

/** The page to go on at, which is never one of somebody else. */
function nextUrl(next: string): string {
  const url = URL.parse(`/dashboard${next.startsWith("/") ? next : `/${next}`}`, "http://dashboard");
  return url?.pathname.startsWith("/dashboard/") ? `${url.pathname}${url.search}` : "/dashboard/";
}

type LoginProblem = LoginRefused["refusal"] | "expired" | "unknown";

const toLogin = (failed: LoginProblem, next = "/", headers: Parameters<typeof redirect>[1] = {}): Reply =>
  redirect(loginUrl({ failed }, next), headers);

const loginUrl = (says: Readonly<Record<string, string>>, next: string): string =>
  `/dashboard/login?${new URLSearchParams({ ...says, ...(next === "/" || next === "" ? {} : { next }) })}`;

/** Throws what is no answer to a login. */
function refusalOf(error: unknown): LoginProblem {
  if (error instanceof LoginRefused) return error.refusal;
  const known = error instanceof DomainError ? error : fromConnectError(error);
  if (known?.code === "LOGIN_FAILED") return "unknown";
  if (known?.code === "SERVICE_UNAVAILABLE") return "unavailable";
  throw error;
}
