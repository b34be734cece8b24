import type { Echo } from "../baselines/start-echo.ts";
import type { LoadPlan } from "../load/plan.ts";
import type { BenchSystem } from "../system.ts";

/** What a backend typically sends: who accepted what, how it was shown, and from where. */
const acceptBody = JSON.stringify({
  templateSlug: "terms-of-service",
  userRef: "user-{n}",
  locale: "en",
  action: "CHECKBOX_AND_BUTTON",
  presentation: {
    surface: "WEB",
    wrapType: "CLICKWRAP",
    buttonText: "I agree",
    scrolledToEnd: true,
    displayedMs: 5210,
  },
  context: {
    ip: "203.0.113.7",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
    pageUrl: "https://shop.example/checkout",
  },
  metadata: { order: "order-{n}" },
});

export type Load = Pick<LoadPlan, "warmupSeconds" | "seconds" | "ratePerSecond">;

export const connections = 64;

/** Acceptances under keys that no other load with another name uses. */
export const acceptPlan = (
  { demo, accessToken }: Pick<BenchSystem, "demo" | "accessToken">,
  name: string,
  load: Load,
): LoadPlan => ({
  url: `${demo.baseUrl}/v1/click/accept`,
  method: "POST",
  headers: { Authorization: `Bearer ${accessToken}` },
  body: acceptBody,
  keyPrefix: `bench-${process.pid}-${name}`,
  connections,
  ...load,
});

/** The same bytes to bare Express. */
export const echoPlan = ({ url }: Echo, load: Load): LoadPlan => ({
  url,
  method: "POST",
  headers: { Authorization: "Bearer none" },
  body: acceptBody,
  keyPrefix: "echo",
  connections,
  ...load,
});
