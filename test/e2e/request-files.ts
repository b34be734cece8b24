import { Session } from "node:inspector/promises";
import { relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { agreementPdf } from "../../bench/measures/agreement-pdf.ts";
import type { Api } from "../support/api.ts";
import { bodyOf, publishText } from "../support/journeys.ts";
import { scenario } from "../support/system.ts";

const root = resolve(import.meta.dirname, "../..");

/**
 * Whoever wants to know what an operation does reads the files that it passes through. They are those of which a function
 * runs for a request and does not run while nobody asks for anything. Those of platform/ do not count: a change of an
 * operation seldom leads there.
 */
export const filesOfRequests = scenario(
  "files that a request passes through",
  (_mode, running) => {
    const session = new Session();
    let api: Api;

    beforeAll(async () => {
      session.connect();
      await session.post("Profiler.enable");
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      api = await running().newOrganization();
    });
    afterAll(async () => {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    });

    /** The functions of the product that ran while `act` did, as file and place. */
    async function ranDuring(act: () => Promise<unknown>): Promise<string[]> {
      await session.post("Profiler.takePreciseCoverage");
      await act();
      const { result } = await session.post("Profiler.takePreciseCoverage");
      return result
        .filter(({ url }) => /^\/(api|gateway|services|views)\/(?!.*\/test\/)/.test(url.replace(`file://${root}`, "")))
        .flatMap(({ url, functions }) =>
          functions
            .filter(({ functionName, ranges: [range] }) => functionName !== "" && (range?.count ?? 0) > 0)
            .map(({ ranges: [range] }) => `${relative(root, fileURLToPath(url))}:${range?.startOffset}`),
        );
    }

    async function filesOf(act: () => Promise<unknown>): Promise<string[]> {
      // What is kept from the first time on is no part of the way.
      await act();
      await act();
      const idle = new Set(await ranDuring(() => delay(1500)));
      // What comes by itself now and then hardly comes twice in a row.
      const again = new Set(await ranDuring(act));
      const ran = (await ranDuring(act)).filter((place) => again.has(place) && !idle.has(place));
      return [...new Set(ran.map((place) => place.slice(0, place.lastIndexOf(":"))))].sort();
    }

    test("an acceptance passes through 30 of the click service at most, and 60 in all", async () => {
      const { templateId } = await publishText(api, { name: "Terms", type: "STATIC" }, "<p>Terms.</p>");
      const accept = async () => bodyOf(201, await api.accept(crypto.randomUUID(), { templateId, userRef: "ann" }));
      const files = await filesOf(accept);
      expect(files.filter((file) => file.startsWith("services/click/")).length).toBeLessThanOrEqual(30);
      expect(files.length).toBeLessThanOrEqual(60);
    });

    test("an agreement that is created and sent passes through 90 at most", async () => {
      const tabs = [{ type: "signature", documentId: "1", page: 1, x: 72, y: 72 }];
      const body = {
        ...{ status: "sent", emailSubject: "Please sign" },
        documents: [
          { documentId: "1", name: "A.pdf", documentBase64: Buffer.from(await agreementPdf()).toString("base64") },
        ],
        recipients: { signers: [{ recipientId: "1", name: "Ann", email: "ann@example.com", tabs }] },
      };
      const files = await filesOf(async () => bodyOf(201, await api.post("/v1/sign/agreements", body)));
      expect(files.length).toBeLessThanOrEqual(90);
    });
  },
  "single process",
);
