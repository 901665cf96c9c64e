// A part of its own, read when the first command is confined: with what it brings it is larger than all that starts.
export { SandboxManager } from '@anthropic-ai/sandbox-runtime';
