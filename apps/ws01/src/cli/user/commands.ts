import type { Command } from 'commander';
import { userAddCommand } from './add.ts';
import { userImportCommand } from './import.ts';
import { userListCommand } from './list.ts';
import {
  userEraseCommand,
  userExportCommand,
  userHoldCommand,
  userReleaseCommand,
  userShowCommand,
} from './person.ts';

export function userCommands(): readonly Command[] {
  return [
    userAddCommand(),
    userImportCommand(),
    userListCommand(),
    userShowCommand(),
    userExportCommand(),
    userEraseCommand(),
    userHoldCommand(),
    userReleaseCommand(),
  ];
}
