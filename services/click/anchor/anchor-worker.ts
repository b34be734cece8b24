import { createPeriodicWorker } from "#platform/periodic.ts";
import type { Worker } from "#platform/service.ts";
import { unlessAway } from "../integrator/integrator.ts";
import { type AnchorDeps, anchorRound } from "./anchor-round.ts";

/** Anchors what is new again and again. One of several processes does it, and another one when that is gone. */
export function createAnchorWorker(deps: AnchorDeps): Worker {
  let stopping = new AbortController();
  const worker = createPeriodicWorker({
    name: "anchor click",
    everyMs: deps.intervalMs,
    logger: deps.logger,
    run: () => unlessAway(() => anchorRound(deps, stopping.signal), deps.logger),
  });
  return {
    name: worker.name,
    start: () => {
      stopping = new AbortController();
      return worker.start();
    },
    stop: () => {
      stopping.abort();
      return worker.stop();
    },
  };
}
