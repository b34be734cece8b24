import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AuditFormat as AuditFormatCode,
  type Connect as ConnectMessage,
  ConnectSchema,
  type ConnectSecret as ConnectSecretMessage,
  ConnectSecretSchema,
  DisabledReason as DisabledReasonCode,
  type Endpoint as EndpointMessage,
  EndpointSchema,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { AuditFormat, DisabledReason, Endpoint } from "../domain/endpoint.ts";
import type { SealedConnectSecret } from "../store/connect-secret-store.ts";

export function endpointMessage(endpoint: Endpoint, now: Date): EndpointMessage {
  const { id, url, description, eventTypes, isEnabled, disabledReason, previousSecretUntil } = endpoint;
  const overlap = previousSecretUntil !== undefined && previousSecretUntil > now ? previousSecretUntil : undefined;
  return create(EndpointSchema, {
    ...{ id, url, description, eventTypes: [...eventTypes], enabled: isEnabled },
    auditFormat: endpoint.auditFormat === "ocsf" ? AuditFormatCode.OCSF : AuditFormatCode.ASSENT,
    disabledReason: disabledReason === undefined ? DisabledReasonCode.UNSPECIFIED : disabledReasons[disabledReason],
    ...timestamp("disabledAt", endpoint.disabledAt),
    ...timestamp("failingSince", endpoint.failingSince),
    ...timestamp("previousSecretUntil", overlap),
    createdAt: timestampFromDate(endpoint.createdAt),
    updatedAt: timestampFromDate(endpoint.updatedAt),
  });
}

/** Undefined when the request does not say. */
export const auditFormatOf = (code: AuditFormatCode | undefined): AuditFormat | undefined =>
  code === undefined || code === AuditFormatCode.UNSPECIFIED
    ? undefined
    : code === AuditFormatCode.OCSF
      ? "ocsf"
      : "assent";

export const connectMessage = ({ connectId = 0, settings = {}, createdAt }: Endpoint): ConnectMessage =>
  create(ConnectSchema, {
    id: BigInt(connectId),
    settingsJson: JSON.stringify(settings),
    createdAt: timestampFromDate(createdAt),
  });

export const connectSecretMessage = ({ id, createdAt }: Omit<SealedConnectSecret, "sealed">): ConnectSecretMessage =>
  create(ConnectSecretSchema, { id, createdAt: timestampFromDate(createdAt) });

const disabledReasons: Readonly<Record<DisabledReason, DisabledReasonCode>> = {
  "by-request": DisabledReasonCode.BY_REQUEST,
  gone: DisabledReasonCode.GONE,
  failing: DisabledReasonCode.FAILING,
};

/** No member when there is none. */
const timestamp = <Name extends string>(name: Name, date: Date | undefined) =>
  (date === undefined ? {} : { [name]: timestampFromDate(date) }) as {
    readonly [N in Name]?: ReturnType<typeof timestampFromDate>;
  };
