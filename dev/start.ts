// `npm start`: the whole product in one process, with a database of its own in the data folder.

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DestinationStream } from "pino";
import { createLogger } from "#platform/logger.ts";
import { stopOnSignals } from "#platform/service.ts";
import { welcomeText } from "./demo.ts";
import { openHome } from "./home.ts";
import { decidedBySingleProcess, launchValues, unreadVariables } from "./launch-settings.ts";
import { startLocalCopy } from "./local-copy.ts";
import { migrateAll } from "./migrations.ts";
import { startOwnPostgres } from "./own-postgres.ts";
import { isFree } from "./ports.ts";
import { createSupervisor } from "./supervisor.ts";

const say = (line: string): void => void process.stderr.write(`assent: ${line}\n`);

try {
  await start();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

async function start(): Promise<void> {
  const given = launchValues(process.env);
  const home = openHome(process.env);
  const log = openStartLog(join(home.logFolder, "start.log"));
  const logger = createLogger("assent", given.LOG_LEVEL, log.destination);
  for (const line of unreadVariables(process.env, "npm start", decidedBySingleProcess)) say(line);
  const supervisor = createSupervisor({ say });
  say("preparing the database …");
  const own = given.DATABASE_URL === "" ? await startOwnPostgres(home) : undefined;
  const databaseUrl = own?.url ?? given.DATABASE_URL;
  try {
    await migrateAll(databaseUrl, logger);
    say("starting the services …");
    const copy = await startLocalCopy({
      ...{ home, logger, env: process.env, databaseUrl, natsUrl: given.NATS_URL },
      port: await choosePort(given.PORT),
    });
    if (own !== undefined) supervisor.watch(own.part);
    stopOnSignals(async () => {
      supervisor.stop();
      await copy.stop();
      await own?.stop();
    }, logger);
    collectGarbage();
    log.showFromNow();
    process.stdout.write(welcomeText(copy.demo, home, { mailbox: copy.hasMailbox, webhooks: true }, copy.unready));
  } catch (error) {
    log.tell(say);
    await own?.stop();
    throw error;
  }
}

/** What a start leaves, a tenth of all memory, V8 would keep until the heap has grown by half. No request waits yet. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  collect();
}

/** The port that was asked for; without a wish 8080, or a free one when another program has it. */
async function choosePort(wish: number | undefined): Promise<number> {
  if (wish !== undefined) return wish;
  if (await isFree(8080)) return 8080;
  say("port 8080 is taken, using a free one");
  return 0;
}

export interface StartLog {
  readonly destination: DestinationStream;
  /** From now on lines go to standard output. */
  showFromNow(): void;
  /** Says where the lines are, when there are any. */
  tell(say: (line: string) => void): void;
}

/**
 * Where the lines of a start go: into a file, made anew each time. While all services start at once on a busy machine,
 * workers miss connections that they get a second later; whoever waits for the address would read that as a failure.
 */
export function openStartLog(file: string): StartLog {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  let isShown = false;
  let isEmpty = true;
  return {
    destination: {
      write: (line) => {
        if (isShown) process.stdout.write(line);
        else appendFileSync(file, line);
        isEmpty &&= isShown;
      },
    },
    showFromNow: () => {
      isShown = true;
    },
    tell: (say) => {
      if (!isEmpty) say(`what was logged is in ${file}`);
    },
  };
}
