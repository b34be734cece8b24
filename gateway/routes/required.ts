/** The message of an answer that always has one; its absence is a defect of the service. */
export function required<T>(message: T | undefined): T {
  if (message === undefined) throw new Error("a service answered without the message that its contract promises");
  return message;
}
