export const skills = {
} as const;
