import { credential, LENGTHS, SAMPLE_USER, text } from './parameters.ts';

/** Operation 3. */
export const updateUserInfo = {
  name: 'updateUserInfo',
  documentation: 'Modify user information',
  access: { credential: 'tokenId', scope: 'users' },
  parameters: [
    credential('tokenId', 'users'),
    text('userId', 'The user.', SAMPLE_USER),
    text('firstName', 'Absent keeps, empty clears.', 'Ada', LENGTHS.name),
    text('lastName', 'Absent keeps, empty clears.', 'Lovelace', LENGTHS.name),
    text('zipCode', 'Absent keeps, empty clears.', '10001', LENGTHS.zip),
    text('state', 'Absent keeps, empty clears.', 'NY', LENGTHS.place),
    text('city', 'Absent keeps, empty clears.', 'New York', LENGTHS.place),
    text('address', 'Absent keeps, empty clears.', '1 Main Street', LENGTHS.address),
    text('address2', 'Absent keeps, empty clears.', '', LENGTHS.address),
  ],
  result: 'string',
} as const;

/** Operation 14. */
export const updateUserCellphone = {
  name: 'updateUserCellphone',
  documentation: "Modify a user's cell phone number",
  access: { credential: 'tokenId', scope: 'users' },
  parameters: [
    credential('tokenId', 'users'),
    text('userId', 'The user.', SAMPLE_USER),
    text('cellPhone', 'The new number; empty removes it.', '+12125550100'),
  ],
  result: 'string',
} as const;
