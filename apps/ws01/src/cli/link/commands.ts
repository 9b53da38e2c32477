import type { Command } from 'commander';
import { linkDisableCommand } from './disable.ts';
import { linkListCommand } from './list.ts';

export function linkCommands(): readonly Command[] {
  return [linkListCommand(), linkDisableCommand()];
}
