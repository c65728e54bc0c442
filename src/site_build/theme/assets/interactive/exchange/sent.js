// The function `sent` of the page, held equal to it by a test.

/** Numbers that a device sends, for each number of its inputs: in a ring, and in an exchange. */
export function sent(devices, heads, keyHeads) {
  const kept = (devices - 1) / devices;
  // An exchange repeats heads of keys, until each device has one.
  const [keys, repeated] = [keyHeads / heads, Math.max(keyHeads, devices) / heads];
  return { ring: 2 * keys * kept, exchange: ((2 + 2 * repeated) * kept) / devices };
}
