export interface VerbOutput {
  readonly stdout: string;
  readonly exitCode: number;
}

/** What is wrong with the words of a call: exit 2. */
export type VerbProblem = { readonly code: 'usage'; readonly message: string } | { readonly code: 'failed'; readonly message: string };
