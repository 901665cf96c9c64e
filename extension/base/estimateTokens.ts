/** Bytes of a token, on the low side: estimating too much compacts early, too little overflows. */
const bytesPerToken = 3.5;

/** A cheap guess without a tokenizer, about 10 % too high on English and code. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}
