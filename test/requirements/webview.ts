export const webview = {
} as const;
