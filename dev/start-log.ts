import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DestinationStream } from "pino";

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
