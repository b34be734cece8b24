export const location = (path: string) => ({ Location: `Where it is read: ${path}.` }) as const;

export const replayed = { "Idempotent-Replayed": "true" } as const;
export const replayedHeader = {
  "Idempotent-Replayed":
    "true when nothing new was made: the answer is about what the first request with this key made.",
} as const;
