import { randomInt as drawSeed, hash } from "node:crypto";

/** Set TREE_SEED to the seed in the name of a test to run the same again. */
export const seed = Number(process.env.TREE_SEED ?? drawSeed(2 ** 31));

export interface SeededRandom {
  /** From min to before max; from 0 when only one is given. */
  int(min: number, max?: number): number;
  /** 32 at most. */
  bytes(length: number): Buffer;
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function createRandom(): SeededRandom {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    int: (min, max) => (max === undefined ? below(min) : min + below(max - min)),
    bytes: (length) => hash("sha256", `${seed} ${next()}`, "buffer").subarray(0, length),
  };
}
