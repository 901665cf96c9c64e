const secretShapes: readonly RegExp[] = [
  /\b(sk-[A-Za-z0-9_-]{4})[A-Za-z0-9_-]{8,}/g,
  /\b(Bearer\s+)[A-Za-z0-9._~+/=-]{8,}/gi,
  /\b((?:x-api-key|api[_-]?key|authorization|auth[_-]?token|password|secret)["']?\s*[:=]\s*["']?)(?!Bearer)[^\s"',}]{6,}/gi,
];

/** The last net under the log: what looks like a key is cut, though nothing should have put one there. */
export function redact(text: string): string {
  return secretShapes.reduce((safe, shape) => safe.replace(shape, '$1…'), text);
}
