export function sampleFolder(): string;
export function ensureSample(folder?: string): Promise<{ readonly folder: string; readonly isNew: boolean }>;
