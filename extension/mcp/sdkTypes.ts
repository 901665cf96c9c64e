/** What `import('./mcpSdk')` gives: handed around as a value, so that only one place loads it. */
export type Sdk = typeof import('./mcpSdk');
export type SdkClient = InstanceType<Sdk['Client']>;
