/** Later. */
export const streamCases = [];
