import type { Answer, Api } from "./api.ts";
import { bodyOf } from "./journeys.ts";
import { readPageAndConsent } from "./read-and-consent.ts";

/** What a browser has that followed a link: the name of its session, and the cookie that opens it. */
export interface OpenedLink {
  readonly signingSession: string;
  readonly signingCookie: string;
}

export async function followLink(api: Api, url: string): Promise<OpenedLink> {
  const { status, headers } = await fetch(api.baseUrl + new URL(url).pathname, { redirect: "manual" });
  const [cookie = ""] = headers.getSetCookie();
  const [, signingSession] = /\/signing\/s\/([^/]+)\//.exec(headers.get("location") ?? "") ?? [];
  if (signingSession === undefined) throw new Error(`${url} made no session: ${status}`);
  return { signingSession, signingCookie: cookie.split(";")[0] ?? "" };
}

interface Tab {
  readonly tabId: string;
  readonly type: string;
  readonly required: boolean;
  readonly value: string;
}

/** A person at the page that they sign on, in both modes: all of it goes over HTTP. */
export interface Visit {
  /** Reads the agreement. */
  open(): Promise<void>;
  sign(): Promise<void>;
  decline(reason: string): Promise<void>;
  leave(): Promise<void>;
  /** Answers the access code; what became of it. */
  prove(code: string): Promise<string>;
}

/** Follows a new link for a recipient of an agreement that was sent. */
export async function visitPage(
  api: Api,
  agreementId: string,
  recipientId = "1",
  headers: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  const wish = { recipientId, returnUrl: "https://www.example.com/signed" };
  const view = await api.post(`/v1/sign/agreements/${agreementId}/views/recipient`, wish);
  const { signingSession, signingCookie } = await followLink(api, bodyOf(201, view).url);
  const call = (method: string, name: string, body?: object): Promise<Answer> =>
    api.call(method, `/signing/s/${signingSession}/${name}`, body, { cookie: signingCookie, ...headers });
  const post = async (name: string, body: object): Promise<void> => {
    bodyOf(200, await call("POST", name, body));
  };
  const open = async (): Promise<void> => {
    const { agreement } = bodyOf(200, await call("GET", "ceremony"));
    bodyOf(200, await call("GET", `documents/${agreement.documents[0].documentId}`));
  };
  return {
    open,
    sign: async () => {
      await readPageAndConsent(call);
      const { recipient } = bodyOf(200, await call("GET", "ceremony"));
      const empty = recipient.tabs.filter((tab: Tab) => tab.type === "text" && tab.required && tab.value === "");
      const values = empty.map(({ tabId }: Tab) => ({ tabId, value: "Berlin" }));
      await post("finish", { values, signature: { typed: "Ann Example", font: "caveat", drawnPng: "" } });
    },
    decline: async (reason) => {
      await open();
      await post("decline", { reason });
    },
    prove: async (code) => bodyOf(200, await call("POST", "verification", { method: "access_code", code })).outcome,
    leave: async () => {
      await open();
      await post("leave", { values: [] });
    },
  };
}
