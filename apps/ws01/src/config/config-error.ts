/** An invalid setting. The message is one line for the operator: its name and what is valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
