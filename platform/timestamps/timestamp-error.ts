/** There is no time stamp, or none that can be relied on. */
export class TimestampError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TimestampError";
  }
}
