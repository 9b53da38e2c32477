import type { Command } from 'commander';
import { smsChangeCommand } from './change.ts';
import { smsListCommand } from './list.ts';
import { smsStatusCommand, smsSwitchCommand } from './switch.ts';

export function smsCommands(): readonly Command[] {
  return [
    smsListCommand(),
    smsChangeCommand('retry'),
    smsChangeCommand('cancel'),
    smsStatusCommand(),
    smsSwitchCommand('off'),
    smsSwitchCommand('on'),
  ];
}
