import type { Command } from 'commander';
import { adminAddCommand } from './add.ts';
import { adminListCommand } from './list.ts';
import { adminRemoveCommand } from './remove.ts';
import { adminResetCommand } from './reset.ts';

export function adminCommands(): readonly Command[] {
  return [adminAddCommand(), adminListCommand(), adminResetCommand(), adminRemoveCommand()];
}
