/** Where each upstream setting points when the sandbox stands in for it. */
export const sandboxPaths = {
  KEY_SERVICE_URL: '/key-service',
  KEY_SERVICE_URL_ERG: '/key-service/erg',
  KEY_SERVICE_URL_FUTURO: '/key-service/futuro',
  CLINICSYS_V1_APPLY_URL: '/clinicsys/api/v1/apply',
  CLINICSYS_V2_URL: '/clinicsys',
} as const;

export type SandboxSetting = keyof typeof sandboxPaths;

export function sandboxUrls(port: number): Record<SandboxSetting, string> {
  const urls = Object.entries(sandboxPaths).map(([setting, path]) => [setting, `http://127.0.0.1:${port}${path}`]);
  // Object.fromEntries forgets the names.
  return Object.fromEntries(urls) as Record<SandboxSetting, string>;
}
