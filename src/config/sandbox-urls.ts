/** Provides the upstream settings of the sandbox: URLs of the simulators, and credentials that they accept. */
export const sandboxPaths = {
  TASKBOARD_URL: '/taskboard/graphql',
  RECRUIT_URL_SANDBOX: '/recruitment/sandbox',
  RECRUIT_URL_US: '/recruitment/us',
  RECRUIT_URL_CANADA: '/recruitment/canada',
  RECRUIT_URL_AUSTRALIA: '/recruitment/australia',
  RECRUIT_URL_EUROPE: '/recruitment/europe',
  LEADFORMS_URL: '/leadforms',
  SCREENING_URL: '/screening',
  KEY_SERVICE_URL: '/key-service',
  KEY_SERVICE_URL_ERG: '/key-service/erg',
  KEY_SERVICE_URL_FUTURO: '/key-service/futuro',
  CLINICSYS_V1_APPLY_URL: '/clinicsys/api/v1/apply',
  CLINICSYS_V2_URL: '/clinicsys',
} as const;

export type SandboxSetting = keyof typeof sandboxPaths;

export function sandboxUrls(port: number): Record<SandboxSetting, string> {
  const urls = Object.entries(sandboxPaths).map(([setting, path]) => [setting, `http://127.0.0.1:${port}${path}`]);
  // TypeScript loses the names in Object.fromEntries.
  return Object.fromEntries(urls) as Record<SandboxSetting, string>;
}

/** With a simulated task board, these values replace the configured ones, so that no real credential reaches the simulator. */
export const sandboxBoard = {
  TASKBOARD_TOKEN_ID: 'sandbox-token',
  TASKBOARD_TOKEN_SECRET: 'sandbox-token-secret',
  TASKBOARD_COMPANY_ID: 'sandbox-company',
  TASKBOARD_TEMPLATE_PROJECT_ID: 'project-template',
} as const;

/** Demonstration secrets, each for its simulated upstream only. */
const demonstrations = { SCREENING_API_KEY: { url: 'SCREENING_URL', value: 'sandbox-screening-key' } } as const;

export function sandboxSecrets(isSimulated: (url: SandboxSetting) => boolean): Record<string, string> {
  const standing = Object.entries(demonstrations).filter(([, { url }]) => isSimulated(url));
  return Object.fromEntries(standing.map(([name, { value }]) => [name, value]));
}
