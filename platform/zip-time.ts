/**
 * The time for a file in a ZIP archive, whose format knows no time zones: a Date that reads locally as this one reads in
 * UTC, so that archives show the same time wherever they are made. Only an hour that a zone leaves out when its summer
 * time begins cannot be read there, and becomes the next one.
 */
export const zipTime = (time: Date): Date =>
  new Date(
    time.getUTCFullYear(),
    time.getUTCMonth(),
    time.getUTCDate(),
    time.getUTCHours(),
    time.getUTCMinutes(),
    time.getUTCSeconds(),
  );
