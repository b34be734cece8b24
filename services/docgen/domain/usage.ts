/** Windows are fixed and aligned to the epoch, so that all processes use the same ones. */
export type WindowName = "hour" | "minute";

export const windowSeconds: Readonly<Record<WindowName, number>> = { hour: 3_600, minute: 60 };

/** The usage in the current windows. */
export interface UsedNow {
  readonly now: Date;
  readonly used: Readonly<Record<WindowName, number>>;
}

/** A window of the plan. */
export interface UsageWindow {
  readonly limit: number;
  readonly used: number;
  /** Unix seconds. */
  readonly resetAt: number;
}

/** The state of the plan, shown by one of its windows. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly resetAt: number;
  /** Whole seconds to the reset, at least 1. */
  readonly retryAfterSeconds: number;
  readonly windowSeconds: number;
}

export function windowsNow(plan: PlanLimits, { now, used }: UsedNow): Readonly<Record<WindowName, UsageWindow>> {
  const window = (name: WindowName) => ({ limit: plan[name], used: used[name], resetAt: resetAt(name, now) });
  return { hour: window("hour"), minute: window("minute") };
}

/** The window with less left; if both have the same left, the one that resets later. */
export function rateNow(plan: PlanLimits, usedNow: UsedNow): RateState {
  const hour = rateOf("hour", plan, usedNow);
  const minute = rateOf("minute", plan, usedNow);
  return minute.remaining < hour.remaining ? minute : hour;
}

/** Of this window. */
export function rateOf(name: WindowName, plan: PlanLimits, { now, used }: UsedNow): RateState {
  const reset = resetAt(name, now);
  return {
    limit: plan[name],
    // The plan may have been reduced meanwhile.
    remaining: Math.max(0, plan[name] - used[name]),
    resetAt: reset,
    retryAfterSeconds: Math.max(1, Math.ceil(reset - now.getTime() / 1_000)),
    windowSeconds: windowSeconds[name],
  };
}

/** The start of the window that holds this time. */
export const windowStart = (name: WindowName, now: Date): Date =>
  new Date((resetAt(name, now) - windowSeconds[name]) * 1_000);

/** Unix seconds; an hour never ends before a minute of it. */
function resetAt(name: WindowName, now: Date): number {
  const seconds = windowSeconds[name];
  return (Math.floor(now.getTime() / (seconds * 1_000)) + 1) * seconds;
}

/** Documents that a plan allows in an hour and in a minute. */
export interface PlanLimits {
  readonly hour: number;
  readonly minute: number;
}

export type Plan = "gen_starter" | "gen_pro" | "gen_hoa" | "business" | "gen_payg";

export const planLimits: Readonly<Record<Plan, PlanLimits>> = {
  gen_starter: { hour: 60, minute: 1 },
  gen_pro: { hour: 600, minute: 10 },
  gen_hoa: { hour: 600, minute: 10 },
  business: { hour: 1_200, minute: 20 },
  gen_payg: { hour: 6_000, minute: 100 },
};
