import { revisionText } from "#api/templates.ts";
import { clickDialect } from "../http/error-dialect.ts";
import { jsonReply } from "../http/reply.ts";
import { defineRoute, onBehalfOf, type Route, type TextParam } from "./route.ts";

const revisionParam: TextParam = {
  names: "revision",
  schema: {
    type: "string",
    pattern: "^[1-9][0-9]{0,8}$",
    description: "Its number, from 1.",
    examples: ["1"],
  },
  otherwise: "CLICK_VERSION_NOT_FOUND",
};

export const revisionRoutes: readonly Route[] = [
  defineRoute({
    operationId: "findOneRevision",
    method: "GET",
    path: "/v1/click/templates/{templateId}/versions/{versionId}/revisions/{revision}",
    tag: "Template versions",
    dialect: clickDialect,
    summary: "Read what a version said when it was published",
    description: "Each publication of a changed text is a revision, whose content and texts never change.",
    access: { scopes: ["click:read"], limitGroup: "other" },
    besideLimit: true,
    notFound: { templateId: "CLICK_TEMPLATE_NOT_FOUND", versionId: "CLICK_VERSION_NOT_FOUND" },
    texts: { revision: revisionParam },
    success: { status: 200, description: "The revision.", schema: revisionText.schemas.answer },
    errors: [],
    call: (request, { templates }) => {
      const { revision, ...version } = request.params;
      return templates.getRevision({ ...version, revision: Number(revision) }, onBehalfOf(request));
    },
    respond: (revision) => jsonReply(200, revisionText.answer(revision)),
  }),
];
