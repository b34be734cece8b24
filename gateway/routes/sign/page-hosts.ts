import { pageHost } from "#api/brands.ts";
import type { PageHost } from "#gen/assent/sign/v1/brands_pb.ts";
import { signDialect } from "../../http/error-dialect.ts";
import { jsonReply, noContent, type Reply } from "../../http/reply.ts";
import { createBody, defineRoute, onBehalfOf, type Route } from "../route.ts";
import { listOf, required } from "../schema-parts.ts";
import { admin, read } from "./base.ts";

const base = { tag: "Brands", dialect: signDialect } as const;
const notFound = { id: "PAGE_HOST_NOT_FOUND" } as const;
const schema = pageHost.schemas.answer;

const hostReply = (status: number, message: PageHost | undefined): Reply =>
  jsonReply(status, pageHost.answer(required(message)));

export const pageHostRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "listPageHosts",
    method: "GET",
    path: "/v1/sign/page-hosts",
    summary: "List page hosts",
    description: "All of them, the oldest first; an organization has 10 at most.",
    access: read,
    success: { status: 200, description: "The page hosts.", schema: listOf(schema) },
    errors: [],
    call: (request, { sign }) => sign.listPageHosts({}, onBehalfOf(request)),
    respond: ({ pageHosts }) =>
      jsonReply(
        200,
        pageHosts.map((one) => pageHost.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "createPageHost",
    method: "POST",
    path: "/v1/sign/page-hosts",
    summary: "Add a page host",
    description:
      "A host name of yours that signing pages are to be at. The answer has the DNS record to set. Point the name to this installation and set up its certificate first: once a check has found the record, links in emails lead there.",
    access: admin,
    body: createBody(pageHost, { example: { host: "agreements.example.com" } }),
    success: { status: 201, description: "The page host, pending.", schema },
    errors: ["PAGE_HOST_EXISTS", "PAGE_HOST_LIMIT_REACHED"],
    call: (request, { sign }) => sign.createPageHost(pageHost.create(request.body), onBehalfOf(request)),
    respond: (answer) => hostReply(201, answer.pageHost),
  }),
  defineRoute({
    ...base,
    operationId: "getPageHost",
    method: "GET",
    path: "/v1/sign/page-hosts/{id}",
    summary: "Read a page host",
    access: read,
    notFound,
    success: { status: 200, description: "The page host.", schema },
    errors: [],
    call: (request, { sign }) => sign.getPageHost({ pageHostId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => hostReply(200, answer.pageHost),
  }),
  defineRoute({
    ...base,
    operationId: "checkPageHost",
    method: "POST",
    path: "/v1/sign/page-hosts/{id}/check",
    summary: "Check the record of a page host",
    description:
      "Looks it up now. The host is verified when the record is found, and lost when that of a verified one is gone. A verified host is checked each hour as well.",
    access: admin,
    notFound,
    success: { status: 200, description: "The page host after that.", schema },
    errors: ["PAGE_HOST_TAKEN"],
    call: (request, { sign }) => sign.checkPageHost({ pageHostId: request.params.id }, onBehalfOf(request)),
    respond: (answer) => hostReply(200, answer.pageHost),
  }),
  defineRoute({
    ...base,
    operationId: "deletePageHost",
    method: "DELETE",
    path: "/v1/sign/page-hosts/{id}",
    summary: "Delete a page host",
    description: "Links in emails lead to the next verified host, or to the address of the installation again.",
    access: admin,
    notFound,
    success: { status: 204, description: "The page host is gone." },
    errors: [],
    call: (request, { sign }) => sign.deletePageHost({ pageHostId: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];
