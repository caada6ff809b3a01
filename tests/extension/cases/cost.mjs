/** Later. */
export const costCases = [];
