/** A kind of event that integrations can be told of. */
export interface EventTypeInfo {
  /** Such as agreement.completed. */
  readonly type: string;
  /** What such events are called on the bus. */
  readonly subject: string;
  readonly description: string;
  /** The data of such an event. */
  readonly example: object;
}
