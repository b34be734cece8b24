import type { SenderDomain } from "#api/brands.ts";
import type { Tone } from "../../ui/states.tsx";

/** Of what DNS records prove, and of each of the records. */
export const tones: Readonly<Record<SenderDomain["status"] | SenderDomain["records"][number]["status"], Tone>> = {
  ...{ pending: "info", verified: "success", lost: "danger" },
  ...{ unchecked: "info", found: "success", missing: "warning", wrong: "danger", unreachable: "warning" },
};
