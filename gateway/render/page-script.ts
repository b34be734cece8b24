import { createHash } from "node:crypto";

/**
 * Runs in a page that a session's token has opened. It mounts the embed script's controls instead of the static text and
 * hands a decision to the window that framed or opened the page, if that is one of the allowed origins; that window
 * records it and answers with the same idempotencyKey. Nobody there to record it is an error that the person sees.
 */
export const pageScript = `"use strict";
(() => {
  const data = document.querySelector("[data-assent-rendering]").textContent;
  const { rendering, origins } = JSON.parse(data);
  const listener = window.opener ?? (window.parent === window ? null : window.parent);
  const handOver = (type) => (acceptance, { idempotencyKey }) =>
    new Promise((resolve, reject) => {
      const settle = (finish, value) => {
        removeEventListener("message", onAnswer);
        clearTimeout(timer);
        finish(value);
      };
      const onAnswer = ({ source, origin, data }) => {
        if (source !== listener || !origins.includes(origin) || data?.idempotencyKey !== idempotencyKey) return;
        if (data.type === "assent:recorded") settle(resolve, data.answer ?? {});
        if (data.type === "assent:refused") settle(reject, data.error ?? {});
      };
      addEventListener("message", onAnswer);
      const timer = setTimeout(() => settle(reject, {}), 30000);
      if (listener === null || origins.length === 0) settle(reject, {});
      else for (const origin of origins) listener.postMessage({ type, acceptance, idempotencyKey }, origin);
    });
  globalThis.Assent?.mount(document.querySelector("[data-assent-controls]"), {
    rendering,
    display: "FULL_PAGE",
    colorScheme: "auto",
    onAccept: handOver("assent:accept"),
    onDecline: handOver("assent:decline"),
  });
})();
`;

/** For the policy of the page: nothing but this script and those of our own address run. */
export const pageScriptHash = `sha256-${createHash("sha256").update(pageScript).digest("base64")}`;
