import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService, RenderRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";

const now = timestampFromDate(new Date("2026-11-20T17:00:00.123Z"));

export const renderHash = `sha256:${"a".repeat(64)}`;
export const contentHash = `sha256:${"b".repeat(64)}`;
export const fragment = "<p>Grüße &amp; <strong>Rechte</strong></p>";

/** Renders one text for everything that it knows. */
export function createFakeRender(sessionOwner: (sessionId: string) => string | undefined) {
  const seen: { renders: RenderRequest[] } = { renders: [] };
  /** By token, as the sessions that they belong to. */
  const tokens = new Map<string, { organizationId: string; clientId: string; sessionId: string }>();
  /** Names that are known, with their organizations: keys of deployments, ids and slugs of templates. */
  const known = new Map<string, string>();
  const changes: { rendering: object } = { rendering: {} };

  const requireSubject = ({ subject }: RenderRequest, orgId: string): void => {
    const { case: kind, value } = subject;
    const missing = { deploymentKey: "CLICK_RENDER_NOT_FOUND", template: "CLICK_TEMPLATE_NOT_FOUND" } as const;
    if (kind === "sessionId" && sessionOwner(value) !== orgId) throw new DomainError("CLICK_SESSION_NOT_FOUND");
    if (kind === "deploymentKey" && known.get(value) !== orgId) throw new DomainError(missing[kind]);
    if (kind === "template" && known.get(value.templateIdOrSlug) !== orgId) throw new DomainError(missing[kind]);
  };

  const handlers = {
    render: (request, context) => {
      seen.renders.push(request);
      requireSubject(request, requireCaller(context).orgId);
      if (request.origin === "https://evil.example") throw new DomainError("CLICK_ORIGIN_NOT_ALLOWED");
      const { subject } = request;
      return {
        rendering: {
          renderId: "0190a000-0000-7000-8000-0000000000ff",
          deploymentKey: subject.case === "deploymentKey" ? subject.value : undefined,
          sessionId: subject.case === "sessionId" ? subject.value : undefined,
          templateId: "0190a000-0000-7000-8000-0000000000fe",
          templateType: "STATIC",
          versionId: "0190a000-0000-7000-8000-0000000000fd",
          revision: 1,
          label: "1.0",
          locale: "de-CH",
          title: "AGB <2026>",
          html: fragment,
          contentHash,
          renderHash,
          noticeText: 'Mit "Zustimmen" gelten die AGB & mehr.',
          buttonText: "Zustimmen",
          declineText: "Ablehnen",
          checkboxText: "Gelesen",
          policy: { requireScroll: true },
          verification: { required: false },
          renderToken: "aaa.bbb.ccc",
          renderedAt: now,
          expiresAt: now,
          allowedOrigins: ["https://www.example.com", "https://shop.example:8443"],
          displayMode: "INLINE",
          theme: { accent: "</script><script>alert(1)</script>" },
          ...changes.rendering,
        },
      };
    },
    getSessionPdf: ({ sessionId }, context) => {
      if (sessionOwner(sessionId) !== requireCaller(context).orgId) throw new DomainError("CLICK_SESSION_NOT_FOUND");
      const content = Buffer.from(`%PDF-1.7 of ${sessionId}`);
      return { hash: sha256Label(content), content };
    },
    authenticateRenderToken: ({ token }) => {
      if (token === "expired.expired.expired") throw new DomainError("TOKEN_EXPIRED");
      const owner = tokens.get(token);
      if (owner === undefined) throw new DomainError("INVALID_TOKEN");
      return owner;
    },
  } satisfies Partial<ServiceImpl<typeof ClickService>>;
  return { handlers, seen, tokens, known, changes };
}
