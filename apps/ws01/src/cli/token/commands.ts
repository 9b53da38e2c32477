import type { Command } from 'commander';
import { tokenEditCommand, tokenRotateCommand } from './change.ts';
import { tokenCreateCommand } from './create.ts';
import { tokenImportCommand } from './import.ts';
import { tokenListCommand } from './list.ts';
import { tokenRevokeCommand } from './revoke.ts';

export function tokenCommands(): readonly Command[] {
  return [
    tokenCreateCommand(),
    tokenImportCommand(),
    tokenListCommand(),
    tokenEditCommand(),
    tokenRotateCommand(),
    tokenRevokeCommand(),
  ];
}
