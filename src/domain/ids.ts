/** How a lead's id and its runs' ids belong together. */

/** A form that a lead id has, and nothing else. */
export const leadIdForm = /^[kbp][0-9a-z]{20}-[0-9a-z]{10}$/;

export const workflowIdOf = (leadId: string): string => `lead-${leadId.split('-')[0] ?? ''}`;

/** The run that takes a failed lead up again. */
export const redriveIdOf = (leadId: string): string => `lead-r-${leadId}`;
