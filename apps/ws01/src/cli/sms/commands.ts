import type { Command } from 'commander';
import { smsListCommand } from './list.ts';
import { smsStatusCommand, smsSwitchCommand } from './switch.ts';

export function smsCommands(): readonly Command[] {
  return [smsListCommand(), smsStatusCommand(), smsSwitchCommand('off'), smsSwitchCommand('on')];
}
