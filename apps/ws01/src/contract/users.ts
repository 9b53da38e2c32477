import { operation, string } from '@ws01/asmx/contract';
import { HELP } from './help.ts';
import { LENGTHS, line, phoneNumber, SAMPLE_USER, text, tokenFor } from './parameters.ts';

/** Operation 3. */
export const updateUserInfo = operation({
  summary: 'Modify user information',
  help: HELP.updateUserInfo,
  input: {
    tokenId: tokenFor('users'),
    userId: text('The user.', SAMPLE_USER),
    firstName: line('Absent keeps, empty clears.', 'Ada', LENGTHS.name),
    lastName: line('Absent keeps, empty clears.', 'Lovelace', LENGTHS.name),
    zipCode: line('Absent keeps, empty clears.', '10001', LENGTHS.zip),
    state: line('Absent keeps, empty clears.', 'NY', LENGTHS.place),
    city: line('Absent keeps, empty clears.', 'New York', LENGTHS.place),
    address: line('Absent keeps, empty clears.', '1 Main Street', LENGTHS.address),
    address2: line('Absent keeps, empty clears.', '', LENGTHS.address),
  },
  result: string,
});

/** Operation 14. */
export const updateUserCellphone = operation({
  summary: "Modify a user's cell phone number",
  help: HELP.updateUserCellphone,
  input: {
    tokenId: tokenFor('users'),
    userId: text('The user.', SAMPLE_USER),
    cellPhone: phoneNumber('The new number; empty removes it.'),
  },
  result: string,
});
