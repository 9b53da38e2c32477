import type { Command } from 'commander';
import { smsListCommand } from './list.ts';

export function smsCommands(): readonly Command[] {
  return [smsListCommand()];
}
