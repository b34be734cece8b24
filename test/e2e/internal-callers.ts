import { randomBytes } from "node:crypto";
import {
  type DescField,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  fromJson,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { AdminService, TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ErasureService } from "#gen/assent/auth/v1/erasures_pb.ts";
import { ExportService } from "#gen/assent/auth/v1/exports_pb.ts";
import { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import { ClickService, EvidenceAdminService, EvidenceLogService } from "#gen/assent/click/v1/click_pb.ts";
import { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { DeadEventService } from "#gen/assent/operations/v1/dead_events_pb.ts";
import { InstallationService } from "#gen/assent/operations/v1/installation_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { createInternalTokens, parseInternalKeys } from "#platform/rpc/callers.ts";
import { createGrpcTransport } from "#platform/rpc/client.ts";
import { publicAccess } from "../../gateway/grpc/public-rpcs.ts";
import type { Api } from "../support/api.ts";
import { everyScope } from "../support/interface-scopes.ts";
import { withScopes } from "../support/journeys.ts";
import { type System, scenario } from "../support/system.ts";

/** By the process that offers them. */
const services: readonly (readonly [string, DescService])[] = [
  ["auth", TokenService],
  ["auth", LoginService],
  ["auth", UserService],
  ["auth", PasskeyService],
  ["auth", OrganizationService],
  ["templates", TemplatesService],
  ["click", ClickService],
  ["click", EvidenceLogService],
  ["docgen", DocgenService],
  ["sign", SignService],
  ["sign", SigningService],
  ["webhooks", WebhooksService],
  ["sign", PersonalDataService],
  ["click", PersonalDataService],
  ["auth", RetentionService],
  ["click", RetentionService],
  ["auth", ErasureService],
  ["auth", ExportService],
  ["templates", InstallationService],
  ["click", InstallationService],
];
const administration: typeof services = [
  ["auth", AdminService],
  ["click", EvidenceAdminService],
  ["click", DeadEventService],
  ["webhooks", DeadEventService],
];

/** What runs for nobody: it finds out who calls, names organizations itself, or tells everybody the same. */
const withoutCaller: readonly string[] = [
  ...[TokenService, LoginService, SigningService].flatMap(({ name, methods }) =>
    methods.map((method) => `${name} ${method.name}`),
  ),
  ...["BeginPasskeyLogin", "LoginWithPasskey", "ContinueLoginWithPasskey"].map((rpc) => `PasskeyService ${rpc}`),
  "TemplatesService ListTemplateTypes",
  "TemplatesService ResolveTemplates",
  "ClickService AcceptBatch",
  "ClickService AuthenticateRenderToken",
  "ClickService ListEvidenceKeys",
  "EvidenceLogService MayDeleteByTime",
  "SignService GetPublicBrandImage",
  "SignService ResolvePageHost",
  "SignService GetSealCertificate",
  "SignService ListDocumentFormats",
  "SignService VerifySeal",
  "SignService ReportUndelivered",
  "WebhooksService ListEventTypes",
  "WebhooksService CountUse",
  "InstallationService CompareSettings",
];

const uuid = "0198c0de-0000-7000-8000-000000000000";
const callers: readonly (readonly [string, Record<string, string>])[] = [
  ["nobody", {}],
  ["a client without an organization", { "x-client-id": "client" }],
  ["an organization without a client", { "x-org-id": uuid }],
  ["what is no organization", { "x-org-id": "everybody", "x-client-id": "client" }],
  ["two organizations", { "x-org-id": `${uuid}, ${uuid}`, "x-client-id": "client" }],
];

const whole = { "x-org-id": uuid, "x-client-id": "client" };
const keyOf = (text: string): readonly Buffer[] => parseInternalKeys(text);
const tokenOf = (keys: string, now = Date.now()): Record<string, string> => ({
  "x-internal-token": createInternalTokens({ keys: () => keyOf(keys), now: () => now }).current(),
});

export const internalCallers = scenario(
  "calls between the services",
  (_mode, running) => {
    let system: System;
    let accessToken: string;
    let door: ReturnType<typeof createGrpcTransport>;
    let everything: Api;
    const transports = new Map<string, ReturnType<typeof createGrpcTransport>>();

    beforeAll(async () => {
      system = running();
      const environmentOf = (name: string) => system.distributed?.of(name)[0]?.env ?? {};
      const connect = (port: string | undefined, list: typeof services) => {
        const descriptors = new Set([...list, ...administration].map(([, descriptor]) => descriptor));
        return createGrpcTransport({ target: `127.0.0.1:${port}`, services: [...descriptors] });
      };
      door = connect(environmentOf("gateway").GRPC_PORT, services);
      for (const name of new Set(services.map(([process]) => process))) {
        const own = services.filter(([process]) => process === name);
        transports.set(name, connect(environmentOf(name).RPC_PORT, own));
      }
      const owner = await system.newOrganization();
      accessToken = owner.token;
      everything = await withScopes(system, owner, everyScope);
      await system.admin.setOrganizationLimits({ organizationId: owner.organizationId, limits: { other: 100_000 } });
    });
    afterAll(() => {
      for (const transport of [...transports.values(), door]) transport?.close();
    });

    const methodsOf = (table: typeof services) =>
      table.flatMap(([process, service]) =>
        service.methods.map((method) => [`${service.name} ${method.name}`, process, method] as const),
      );
    const outcome = (process: string, method: DescMethod, headers: Record<string, string>): Promise<string> =>
      call(transports.get(process) as Transport, method, headers);

    test("the table of what needs no caller names only what exists", () => {
      expect(methodsOf(services).map(([name]) => name)).toEqual(expect.arrayContaining([...withoutCaller]));
    });

    test.each(methodsOf(services).filter(([name]) => !withoutCaller.includes(name)))(
      "%s is refused without a whole caller",
      async (_name, process, method) => {
        const own = tokenOf(system.internalTokenKeys);
        const outcomes = await Promise.all(
          callers.map(async ([who, headers]) => [who, await outcome(process, method, { ...headers, ...own })]),
        );
        expect(outcomes).toEqual(callers.map(([who]) => [who, "Unauthenticated"]));
        expect(await outcome(process, method, { ...whole, ...own })).not.toBe("Unauthenticated");
      },
    );

    test.each(methodsOf(services))("%s is for processes of the installation alone", async (_name, process, method) => {
      const keys = system.internalTokenKeys;
      const own = tokenOf(keys);
      const strangers: readonly (readonly [string, Record<string, string>, string])[] = [
        ["nobody", {}, "Refused: Unauthenticated"],
        ["bare headers", whole, "Refused: Unauthenticated"],
        [
          "a token of another installation",
          { ...whole, ...tokenOf(randomBytes(32).toString("base64")) },
          "Refused: Unauthenticated",
        ],
        ["a token that has expired", { ...whole, ...tokenOf(keys, Date.now() - 66_000) }, "Refused: Unauthenticated"],
        ["a token from the future", { ...whole, ...tokenOf(keys, Date.now() + 66_000) }, "Refused: Unauthenticated"],
        ["two tokens", { ...whole, "x-internal-token": `${own["x-internal-token"]}, x` }, "Refused: Unauthenticated"],
        [
          "a credential of a customer",
          { ...whole, authorization: `Bearer ${accessToken}` },
          "Refused: PermissionDenied",
        ],
        ["the master key as a credential", { ...whole, authorization: `Bearer ${keys}` }, "Refused: PermissionDenied"],
      ];
      const outcomes = await Promise.all(
        strangers.map(async ([who, headers]) => [who, await outcome(process, method, headers)]),
      );
      expect(outcomes).toEqual(strangers.map(([who, , refused]) => [who, refused]));
      expect(await outcome(process, method, { ...whole, ...own })).not.toMatch(/^Refused/);
    });

    const publicRpcs = methodsOf(services).flatMap(([name, , method]) => {
      const access = publicAccess(method);
      return access === undefined ? [] : [[name, method, access.scopes] as const];
    });

    test.each(publicRpcs)("%s is open to programs with a credential for it", async (_name, method, scopes) => {
      const bearer = { authorization: `Bearer ${everything.token}` };
      const others = everyScope.split(" ").filter((scope) => !scopes.includes(scope));
      const without = (await tokenWith(others.join(" "))).token;
      const wanted: readonly (readonly [string, Record<string, string>, string])[] = [
        ["nobody", {}, "Unauthenticated"],
        ["bare headers", whole, "Unauthenticated"],
        ["a process of ours", { ...whole, ...tokenOf(system.internalTokenKeys) }, "Unauthenticated"],
        ["a token that is none", { authorization: "Bearer eyJ.eyJ.x" }, "Unauthenticated"],
        ["a password", { authorization: "Basic YTpi" }, "Unauthenticated"],
        ["the organization of somebody else", { ...bearer, "x-org-id": uuid }, "PermissionDenied"],
        ["every other scope", { authorization: `Bearer ${without}` }, "PermissionDenied"],
      ];
      const outcomes = await Promise.all(
        wanted.map(async ([who, headers]) => [who, await call(door, method, headers)]),
      );
      expect(outcomes).toEqual(wanted.map(([who, , outcome]) => [who, outcome]));
      const right = await call(door, method, {
        ...bearer,
        "x-client-id": "somebody",
        "x-org-id": everything.organizationId,
      });
      expect(right).toMatch(/^(Ok|NotFound|InvalidArgument|FailedPrecondition|Aborted)$/);
    });

    const closedRpcs = methodsOf(services).filter(([, , method]) => publicAccess(method) === undefined);

    test.each(closedRpcs)("%s is closed to everybody at the port for programs", async (_name, _process, method) => {
      const bearer = { authorization: `Bearer ${everything.token}` };
      for (const headers of [{}, whole, bearer, { ...whole, ...tokenOf(system.internalTokenKeys) }]) {
        expect(await call(door, method, headers)).toMatch(/(PermissionDenied|Unimplemented)$/);
      }
    });

    /** Made once for each set of scopes. */
    const made = new Map<string, Promise<Api>>();
    const tokenWith = (scopes: string): Promise<Api> => {
      const known = made.get(scopes) ?? withScopes(system, everything, scopes);
      made.set(scopes, known);
      return known;
    };

    test.each(methodsOf(administration))("%s is not offered beside the services", async (_name, process, method) => {
      const own = tokenOf(system.internalTokenKeys);
      for (const [, headers] of [...callers, ["one of ours", { ...whole, ...own }] as const]) {
        expect(await outcome(process, method, headers)).toBe("Unimplemented");
      }
    });

    test.each(methodsOf(administration))(
      "%s needs the admin token on the admin port",
      async (_name, process, method) => {
        const { ASSENT_ADMIN_URL, ASSENT_CLICK_ADMIN_URL, ASSENT_WEBHOOKS_ADMIN_URL } = system.adminEnv;
        const own = new Map([
          ["click", ASSENT_CLICK_ADMIN_URL],
          ["webhooks", ASSENT_WEBHOOKS_ADMIN_URL],
        ]);
        const base = own.get(process) ?? ASSENT_ADMIN_URL;
        const authorizations = [undefined, "", "Bearer", "Bearer wrong", "Basic YWRtaW46YWRtaW4="];
        for (const authorization of authorizations) {
          const headers: Record<string, string> = { "content-type": "application/json" };
          if (authorization !== undefined) headers.authorization = authorization;
          const url = `${base}/${method.parent.typeName}/${method.name}`;
          expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(401);
        }
      },
    );
  },
  "distributed",
);

/** The name of the code that the call ends with. */
async function call(transport: Transport, method: DescMethod, headers: Record<string, string>): Promise<string> {
  try {
    await transport.unary(method as DescMethodUnary, undefined, 5_000, headers, filled(method));
    return "Ok";
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    // What the handlers themselves refuse has other words.
    return `${rawMessage.includes("of this installation") ? "Refused: " : ""}${Code[code]}`;
  }
}

/** Where a message of ids alone would break a rule of the proto. */
const requests: Readonly<Record<string, JsonValue>> = {
  CreateDeployment: { templateId: uuid, fields: {} },
  UpdateDeployment: { deploymentId: uuid, fields: {}, updateMask: "" },
  GetRevision: { versionId: uuid, revision: 1 },
  AppendSessionEvents: { sessionId: uuid, events: [{ type: "CHECKED" }] },
  Render: { sessionId: uuid },
  GetSessionPdf: { sessionId: uuid },
  ReportUse: { gatewayId: uuid, sequence: 1, load: { spanMs: 1 } },
  "PasskeyService BeginPasskey": { sessionId: uuid },
  "PasskeyService AddPasskey": { sessionId: uuid, name: "Laptop" },
  "UserService ConfirmTotp": { code: "123456", sessionId: uuid },
  "UserService InviteUser": { email: "ann@example.com", name: "Ann", role: "USER_ROLE_VIEWER" },
  "UserService UpdateUser": { userId: uuid, sessionId: uuid },
  "OrganizationService ListAuditEvents": { pageSize: 1 },
  "OrganizationService UpdateOrganization": { name: "Example AG" },
  "DocgenService CreateTemplate": { name: "Offer", format: "FORMAT_HTML" },
  "DocgenService ListTemplates": { pageSize: 1 },
  "TemplatesService CreateScreenshot": { content: "AA==" },
  "TemplatesService CreateTemplateFile": { content: "AA==" },
  "SignService CheckPdf": { content: "AA==" },
  "SignService CreateUpload": { content: "AA==" },
  "SignService PutUploadPart": { uploadId: uuid, sequence: 1, content: "AA==" },
  "SignService CreateBrand": { settings: { name: "Example AG" } },
  "SignService UpdateBrand": { brandId: uuid, settings: { name: "Example AG" }, updateMask: "name" },
  "SignService ReportUndelivered": { token: "A".repeat(80) },
  "SignService CreateSenderDomain": { domain: "mail.example.com" },
  "SignService CreatePageHost": { host: "agreements.example.com" },
  "SignService ResolvePageHost": { host: "agreements.example.com" },
  "SignService PreviewBrandMail": {
    ...{ brandId: uuid, settings: { name: "Example AG" }, updateMask: "name", mail: "invitation" },
  },
  "SignService GetPublicBrandImage": { organizationId: uuid, sha256: `${"A".repeat(43)}=` },
  "ClickService CreateCampaign": { name: "Terms", templateId: uuid, dueAt: "2036-12-31T23:00:00Z" },
  "ClickService UpdateCampaign": { campaignId: uuid, name: "Terms" },
  "ClickService ListCampaignPeople": { campaignId: uuid, limit: 1 },
  "ClickService RemoveCampaignPerson": { campaignId: uuid, userRef: "user-1" },
  "DocgenService UpdateTemplate": { templateId: uuid },
  "DocgenService ListAssets": { pageSize: 1 },
  "DocgenService CreateAsset": { name: "dot.png", content: "AA==" },
  "DocgenService ListDocuments": { pageSize: 1 },
  "DocgenService CreateDocument": { source: { templateId: uuid } },
  "DocgenService CreateBatch": { items: [{ source: { templateId: uuid } }] },
  "DocgenService ListBatches": { pageSize: 1 },
  "DocgenService ListBatchItems": { batchId: uuid, pageSize: 1 },
  "WebhooksService ListEndpoints": { limit: 1 },
  "WebhooksService ListDeliveries": { limit: 1 },
  RecordExternalHead: {
    ...{ source: "HEAD_SOURCE_SIGN", agreementId: uuid, headHash: `${"A".repeat(43)}=`, sequence: 1 },
    completedAt: "2026-11-20T17:00:00Z",
  },
  "ErasureService SearchPerson": { email: "ann@example.com" },
  "ErasureService CreateErasure": { email: "ann@example.com" },
  "ErasureService ListErasures": { limit: 1 },
  "PersonalDataService FindPerson": { person: { email: "ann@example.com" } },
  "PersonalDataService ErasePerson": { erasureId: uuid, person: { email: "ann@example.com" }, ground: "GDPR_17" },
  "RetentionService CountOld": { before: "2026-11-20T17:00:00Z" },
  "RetentionService ListOld": { before: "2026-11-20T17:00:00Z", limit: 1 },
  "RetentionService RemoveOld": { before: "2026-11-20T17:00:00Z", ids: [uuid], onlyLook: true },
  "ExportService CreateExport": { email: "ann@example.com" },
  "ExportService ListExports": { limit: 1 },
  "ExportService CreateExportSchedule": { format: "ACCEPTANCE_FORMAT_CSV", every: "EXPORT_INTERVAL_DAILY" },
  "ExportService UpdateExportSchedule": { id: uuid, paused: true },
  "ExportService OpenExport": { id: uuid, part: 1 },
  "SignService PurgeAgreement": { agreementId: uuid, state: "documents_queued" },
  "SignService VerifyDocument": { file: { content: "JVBERi0xLjcK" } },
  "SignService FillWordFields": { target: { agreementId: uuid }, documents: [{ documentId: "1" }] },
  "SignService PutDocuments": { target: { agreementId: uuid }, documents: [{}] },
  "SignService PutRecipients": { target: { agreementId: uuid }, recipients: [{}] },
};

/** A message that breaks no rule of its proto, so that nothing else is found before the caller is missed. */
function filled({ name, parent, input }: DescMethod): Message {
  const request = requests[`${parent.name} ${name}`] ?? requests[name];
  return request === undefined ? withIds(reflect(input), 0).message : fromJson(input, request);
}

/** Every text is an id, every list has one item, every choice is its first. */
function withIds(message: ReflectMessage, depth: number): ReflectMessage {
  for (const field of message.fields) {
    if (depth < 3 && (field.oneof === undefined || field === field.oneof.fields[0])) setSample(message, field, depth);
  }
  return message;
}

function setSample(message: ReflectMessage, field: DescField, depth: number): void {
  if (field.fieldKind === "scalar" && message.get(field) === "") message.set(field, uuid);
  if (field.fieldKind === "list" && field.listKind === "scalar") message.get(field).add(uuid);
  if (field.fieldKind === "enum") message.set(field, field.enum.values[1]?.number ?? 0);
  if (field.fieldKind === "message") message.set(field, withIds(reflect(field.message), depth + 1));
}
