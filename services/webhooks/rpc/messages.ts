import type { MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  AuditFormat as AuditFormatCode,
  ConnectSchema,
  ConnectSecretSchema,
  DisabledReason as DisabledReasonCode,
  EndpointSchema,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { AuditFormat, DisabledReason, Endpoint } from "../domain/endpoint.ts";
import type { SealedConnectSecret } from "../store/connect-secret-store.ts";

const auditFormats = { assent: AuditFormatCode.ASSENT, ocsf: AuditFormatCode.OCSF } as const satisfies Record<
  AuditFormat,
  AuditFormatCode
>;
const disabledReasons = {
  "by-request": DisabledReasonCode.BY_REQUEST,
  gone: DisabledReasonCode.GONE,
  failing: DisabledReasonCode.FAILING,
} as const satisfies Record<DisabledReason, DisabledReasonCode>;

const endpoints = recordsOf(EndpointSchema, { auditFormat: auditFormats, disabledReason: disabledReasons });
const connects = recordsOf(ConnectSchema);
const connectSecrets = recordsOf(ConnectSecretSchema);

/** Undefined when the request does not say. */
export const auditFormatOf = nameReader(auditFormats);

export function endpointMessage(endpoint: Endpoint, now: Date): MessageInitShape<typeof EndpointSchema> {
  const { isEnabled, previousSecretUntil } = endpoint;
  const isOver = previousSecretUntil === undefined || previousSecretUntil <= now;
  return endpoints.write({
    ...{ ...endpoint, enabled: isEnabled, previousSecretUntil: isOver ? null : previousSecretUntil },
  });
}

export const connectMessage = ({ connectId, settings = {}, createdAt }: Endpoint) =>
  connects.write({ id: connectId, settingsJson: JSON.stringify(settings), createdAt });

export const connectSecretMessage = (secret: Omit<SealedConnectSecret, "sealed">) => connectSecrets.write(secret);
