declare module 'react' {
  /** Sizes that come from data travel as custom properties, set through the CSSOM, so the strict CSP holds. */
  interface CSSProperties {
    '--l'?: number;
  }
}

export {};
