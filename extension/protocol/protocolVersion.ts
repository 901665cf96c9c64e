/** Bumped when a front end of another version could misread the wire. */
export const protocolVersion = 1;
