/** A setting that cannot be used. The message is one line for the operator: its name and what would be right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
