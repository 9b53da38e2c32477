import { HELP } from './help.ts';
import { credential, LENGTHS, line, phoneNumber, SAMPLE_USER, text } from './parameters.ts';

/** Operation 3. */
export const updateUserInfo = {
  name: 'updateUserInfo',
  documentation: 'Modify user information',
  help: HELP.updateUserInfo,
  access: { credential: 'tokenId', scope: 'users' },
  writes: true,
  parameters: [
    credential('tokenId', 'users'),
    text('userId', 'The user.', SAMPLE_USER),
    line('firstName', 'Absent keeps, empty clears.', 'Ada', LENGTHS.name),
    line('lastName', 'Absent keeps, empty clears.', 'Lovelace', LENGTHS.name),
    line('zipCode', 'Absent keeps, empty clears.', '10001', LENGTHS.zip),
    line('state', 'Absent keeps, empty clears.', 'NY', LENGTHS.place),
    line('city', 'Absent keeps, empty clears.', 'New York', LENGTHS.place),
    line('address', 'Absent keeps, empty clears.', '1 Main Street', LENGTHS.address),
    line('address2', 'Absent keeps, empty clears.', '', LENGTHS.address),
  ],
  result: 'string',
} as const;

/** Operation 14. */
export const updateUserCellphone = {
  name: 'updateUserCellphone',
  documentation: "Modify a user's cell phone number",
  help: HELP.updateUserCellphone,
  access: { credential: 'tokenId', scope: 'users' },
  writes: true,
  parameters: [
    credential('tokenId', 'users'),
    text('userId', 'The user.', SAMPLE_USER),
    phoneNumber('cellPhone', 'The new number; empty removes it.'),
  ],
  result: 'string',
} as const;
