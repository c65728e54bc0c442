// Round and read back: `store` and `load` of the page, held equal to them by a test.
const halfToEven = (x) => {
  const whole = Math.round(x);
  return Math.abs(x % 1) === 0.5 && whole % 2 ? whole - 1 : whole;
};

/** The matrix that mixes all channels of a vector, and mixed again gives them back: `turn` of the page. */
export function turned(rows) {
  const count = rows[0].length;
  const sign = (i, j) => (((i & j).toString(2).match(/1/g) ?? []).length % 2 ? -1 : 1);
  return rows.map((row) => row.map((_, j) => row.reduce((sum, x, i) => sum + sign(i, j) * x, 0) / Math.sqrt(count)));
}

/**
 * Round a table of words (rows) and channels (columns), and read it back.
 *
 * @param way Which numbers share a scale: those of a "channel", of a "token", "all", or of a token that was "turned".
 * @returns What is read back, `read`, and the scale of each number, `scales`.
 */
export function round(rows, bits, way) {
  if (way === "turned") {
    const { read, scales } = round(turned(rows), bits, "token");
    return { read: turned(read), scales };
  }
  const most = 2 ** (bits - 1) - 1; // 127 for 8 bits, 7 for 4
  const largest = (numbers) => Math.max(...numbers.map(Math.abs));
  const sharing = {
    channel: (_, j) => rows.map((row) => row[j]),
    token: (i) => rows[i],
    all: () => rows.flat(),
  }[way];
  const scales = rows.map((row, i) => row.map((_, j) => largest(sharing(i, j)) / most));
  const read = rows.map((row, i) => row.map((x, j) => halfToEven(x / scales[i][j]) * scales[i][j]));
  return { read, scales };
}
