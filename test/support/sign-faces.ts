import type { Answer, Api } from "./api.ts";

/** A document as both faces take it. */
export interface FaceDocument {
  readonly documentId?: string;
  readonly name: string;
  readonly documentBase64: string;
}

/** What a test asks of both faces of signing, in the words of neither. */
export interface Face {
  readonly name: "native" | "compatible";
  create(api: Api, definition: object, headers?: Record<string, string>): Promise<Answer>;
  read(api: Api, id: string): Promise<Answer>;
  edit(api: Api, id: string, emailSubject: string): Promise<Answer>;
  send(api: Api, id: string, headers?: Record<string, string>): Promise<Answer>;
  void(api: Api, id: string, voidedReason: string): Promise<Answer>;
  delete(api: Api, id: string): Promise<Answer>;
  addDocuments(api: Api, id: string, documents: readonly FaceDocument[]): Promise<Answer>;
  getDocument(api: Api, id: string, documentId: string): Promise<Answer>;
  listRecipients(api: Api, id: string): Promise<Answer>;
  addRecipients(api: Api, id: string, recipients: object): Promise<Answer>;
  changeRecipient(api: Api, id: string, recipientId: string, name: string): Promise<Answer>;
  deleteRecipient(api: Api, id: string, recipientId: string): Promise<Answer>;
  createView(api: Api, id: string, request: object): Promise<Answer>;
  listAuditEvents(api: Api, id: string): Promise<Answer>;
  /** The id in the answer of create. */
  idIn(answer: Answer): string;
}

const agreements = "/v1/sign/agreements";

const native: Face = {
  name: "native",
  create: (api, definition, headers) => api.call("POST", agreements, definition, headers),
  read: (api, id) => api.get(`${agreements}/${id}`),
  edit: (api, id, emailSubject) => api.call("PATCH", `${agreements}/${id}`, { emailSubject }),
  send: (api, id, headers) => api.call("POST", `${agreements}/${id}/send`, undefined, headers),
  void: (api, id, voidedReason) => api.post(`${agreements}/${id}/void`, { voidedReason }),
  delete: (api, id) => api.call("DELETE", `${agreements}/${id}`),
  addDocuments: (api, id, documents) => api.post(`${agreements}/${id}/documents`, { documents }),
  getDocument: (api, id, documentId) => api.get(`${agreements}/${id}/documents/${documentId}/content`),
  listRecipients: (api, id) => api.get(`${agreements}/${id}/recipients`),
  addRecipients: (api, id, recipients) => api.post(`${agreements}/${id}/recipients`, recipients),
  changeRecipient: (api, id, recipientId, name) =>
    api.call("PUT", `${agreements}/${id}/recipients/${recipientId}`, { name }),
  deleteRecipient: (api, id, recipientId) => api.call("DELETE", `${agreements}/${id}/recipients/${recipientId}`),
  createView: (api, id, request) => api.post(`${agreements}/${id}/views/recipient`, request),
  listAuditEvents: (api, id) => api.get(`${agreements}/${id}/audit-events`),
  idIn: ({ body }) => body.id,
};

const rootOf = (api: Api): string => `/restapi/v2.1/accounts/${api.organizationId}/envelopes`;

const compatible: Face = {
  name: "compatible",
  create: (api, definition, headers) => api.call("POST", rootOf(api), definition, headers),
  read: (api, id) => api.get(`${rootOf(api)}/${id}`),
  edit: (api, id, emailSubject) => api.call("PUT", `${rootOf(api)}/${id}`, { emailSubject }),
  send: (api, id, headers) => api.call("PUT", `${rootOf(api)}/${id}`, { status: "sent" }, headers),
  void: (api, id, voidedReason) => api.call("PUT", `${rootOf(api)}/${id}`, { status: "voided", voidedReason }),
  delete: (api, id) => api.call("PUT", `${rootOf(api)}/${id}`, { status: "deleted" }),
  addDocuments: (api, id, documents) => api.post(`${rootOf(api)}/${id}/documents`, { documents }),
  getDocument: (api, id, documentId) => api.get(`${rootOf(api)}/${id}/documents/${documentId}`),
  listRecipients: (api, id) => api.get(`${rootOf(api)}/${id}/recipients`),
  addRecipients: (api, id, recipients) => api.post(`${rootOf(api)}/${id}/recipients`, recipients),
  changeRecipient: (api, id, recipientId, name) =>
    api.call("PUT", `${rootOf(api)}/${id}/recipients`, { signers: [{ recipientId, name }] }),
  deleteRecipient: (api, id, recipientId) => api.call("DELETE", `${rootOf(api)}/${id}/recipients/${recipientId}`, {}),
  createView: (api, id, request) => api.post(`${rootOf(api)}/${id}/views/recipient`, request),
  listAuditEvents: (api, id) => api.get(`${rootOf(api)}/${id}/audit_events`),
  idIn: ({ body }) => body.envelopeId,
};

export const faces: readonly Face[] = [native, compatible];
